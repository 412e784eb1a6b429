import FaultModel

/// The script that `harness fault PERSONA` runs: what any destination must stand, whatever its
/// rules, with the faults that every file system can have.
enum GenericScript {
  /// The text for one persona. A clean copy is `verified` where the persona's facts let a
  /// read-back prove the medium, else `copied`.
  static func text(persona: Persona) -> String {
    let clean = persona.facts.bestLevel == "cached" ? "copied" : "verified"
    return """
      custody-fault 1
      # Made for the persona \(persona.name): what any destination must stand.
      card    sony-m4
      volume  src  persona ext4  capacity 128MiB
      volume  dst  persona \(persona.name)  capacity 128MiB
      modes   standard paranoid

      case "a clean copy"
        expect \(clean)
      case "a second run finds everything there"
        run
        expect \(clean)
        run
        expect \(clean)
      case "remounted between two runs"
        run
        expect \(clean)
        remount dst
        run
        expect \(clean)
      case "the same file is there"
        given dst "PRIVATE/M4ROOT/CLIP/C0001.MP4" bytes same
        expect \(clean)
      case "an older good file stays"
        given dst "PRIVATE/M4ROOT/CLIP/C0001.MP4" bytes different mtime same
        expect failed C0001.MP4
      case "short reads"
        short read src:** every 3 bytes 4095
        expect \(clean)
      case "short writes"
        short write dst:** every 3 bytes 4095
        expect \(clean)
      case "EINTR on writes"
        fail write dst:** every 5 with EINTR
        expect \(clean)
      case "a write fails in the middle"
        fail write dst:~PRIVATE/M4ROOT/CLIP/C0002.MP4 from 5MiB with EIO
        expect failed C0002.MP4
      case "fsync fails once and forgets"
        fail fsync dst:~PRIVATE/M4ROOT/CLIP/C0002.MP4 with EIO forgetting
        expect failed C0002.MP4
      case "close reports what write did not"
        fail close dst:~PRIVATE/M4ROOT/CLIP/C0003.MP4 by writer with EDQUOT losing last 4KiB
        expect failed C0003.MP4
      case "a torn write"
        torn write dst:~PRIVATE/M4ROOT/CLIP/C0002.MP4 from 4MiB bytes 512
        expect failed C0002.MP4
      case "a misdirected write"
        misdirect write dst:~PRIVATE/M4ROOT/CLIP/C0002.MP4 from 4MiB to 0
        expect failed C0002.MP4
      case "a tail that is dropped"
        drop write dst:~PRIVATE/M4ROOT/CLIP/C0003.MP4 from 8MiB always
        expect failed C0003.MP4
      case "full at once"
        full dst
        expect refused
      case "full half-way"
        full dst at 50%
        expect failed some
      case "ejected half-way"
        eject dst at 50%
        expect failed all
      case "the source ends early"
        short read src:PRIVATE/M4ROOT/CLIP/C0001.MP4 from 6MiB bytes 0 always
        expect failed C0001.MP4
      case "the source changes, times put back"
        change src:PRIVATE/M4ROOT/CLIP/C0001.MP4 write 0+8KiB at 30% restore-times
        expect failed C0001.MP4
      case "killed half-way, then run again"
        kill subject at 50%
        run
        expect interrupted
        run
        expect \(clean)

      """
  }
}
