import FaultModel
import SystemIO

/// A volume with its faults: what the session layer serves under a mount.
final class FaultyVolume: RigVolume {
  let name: String
  let store: MemoryVolume

  init(name: String, store: MemoryVolume) {
    self.name = name
    self.store = store
  }

  func serve(_ request: Request) -> Settlement { .reply(store.perform(request.call)) }

  /// Linux answers so for descriptors on a block device that is gone.
  var detachedError: Errno { .noDevice }

  func wasEjected() { store.dropVolatile() }

  func wasInserted() { store.mountAnew() }

  func wasRemounted() {
    store.syncAll()
    store.dropVolatile()
    store.mountAnew()
  }

  func snapshot(_ layer: Layer) throws(SystemError) -> TreeSnapshot { store.snapshot(layer) }

  func view(_ layer: Layer) -> any Served { LayerView(of: store, layer: layer) }
}
