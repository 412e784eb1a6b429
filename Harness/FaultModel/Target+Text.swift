public import SystemIO

extension Target {
  /// The target as a script writes it; reading it again gives this target.
  public var text: String {
    switch subject {
    case .path(let path): "\(volume):\(ScriptText.quoted(path.bytes.isEmpty ? "/" : path))"
    case .glob(let pattern): "\(volume):\(pattern)"
    case .content(.path(let path)): "\(volume):~\(ScriptText.quoted(path))"
    case .content(.glob(let pattern)): "\(volume):~\(pattern)"
    case .temporary(let number): "\(volume):<tmp#\(number)>"
    case .marker(let number): "\(volume):<marker#\(number)>"
    }
  }
}

/// Words of the language, written rather than read.
public enum ScriptText {
  /// A path as a quoted string that reads as the same bytes.
  public static func quoted(_ path: BytePath) -> String { quoted(path.bytes) }

  /// Words as a quoted string that reads as the same.
  public static func quoted(_ words: String) -> String { quoted(Array(words.utf8)) }

  private static func quoted(_ bytes: [UInt8]) -> String {
    var text = "\""
    for byte in bytes {
      switch byte {
      case UInt8(ascii: "\""): text += "\\\""
      case UInt8(ascii: "\\"): text += "\\\\"
      case 0x20..<0x7f: text.unicodeScalars.append(Unicode.Scalar(byte))
      default: text += escape(byte)
      }
    }
    return text + "\""
  }

  private static func escape(_ byte: UInt8) -> String {
    let digits = String(byte, radix: 16)
    return "\\x" + (digits.count == 1 ? "0" : "") + digits
  }
}
