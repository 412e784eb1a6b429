import FaultModel
import SystemIO

/// A persona's names as the store needs them: stored, or refused with the answer to the call.
struct NameFolding {
  let rules: Persona.NameRules

  /// How a name is stored and the key under which it is found.
  struct Folded {
    let stored: BytePath
    let key: BytePath
  }

  func fold(_ name: BytePath) throws(Errno) -> Folded {
    switch rules.stored(name) {
    case .refused(let errno): throw errno
    case .kept(let stored): return Folded(stored: stored, key: rules.key(stored))
    }
  }

  /// The key under which a name is looked for.
  func find(_ name: BytePath) throws(Errno) -> BytePath {
    if let errno = rules.lookupError(name) { throw errno }
    return key(name)
  }

  /// The key of a name, whether or not the persona would take it.
  func key(_ name: BytePath) -> BytePath { rules.areKeys ? name : rules.key(name) }

  /// The key of a whole path, name by name.
  func key(ofPath whole: BytePath) -> BytePath {
    if isPlain { return whole }
    return whole.components.reduce(BytePath("")) { $0.appending(key($1)) }
  }

  /// Names are their own keys.
  var isPlain: Bool { rules.areKeys }
}
