import Hashing
import SystemIO

/// One run from its preflight to its report.
struct OffloadRun {
  let job: CopyJob
  let clock: any Clock
  let ids: IDSource
  let sink: EventSink
  let isCancelled: @Sendable () -> Bool
  let cancelCause: @Sendable () -> CancelCause?

  func run() throws(OffloadError) -> OffloadOutcome {
    let startedAt = clock.now()
    let workerCount = Workers.count(job.workerCount, destinations: job.destinations.count)
    let preflight = Preflight(
      job: job, ids: ids, openDirectories: Workers.openDirectories(workerCount),
      isCancelled: isCancelled, manifestStands: sendStarted)
    let prepared: PreparedRun
    do throws(Refusal) {
      prepared = try preflight.run()
    } catch {
      if let cause = cancelCause() { return stopped(cause) }
      return OffloadOutcome(
        verdict: .refused, exitCode: 3, rows: RowList(), problems: error.reasons)
    }
    if let cause = cancelCause() { return stopped(cause) }
    let ledger = RunLedger(
      manifest: prepared.manifest, destinations: prepared.destinations.map(\.path),
      algorithms: job.mode.algorithms)
    try copy(prepared, ledger, workerCount)
    SourceCheck(
      source: prepared.source, ledger: ledger, destinationCount: prepared.destinations.count
    ).run()
    for destination in prepared.destinations {
      DestinationCheck(destination: destination, ledger: ledger).run()
    }
    return finish(prepared, ledger, startedAt)
  }

  private func sendStarted(_ manifest: SourceManifest) {
    sink.send(
      .started(
        OffloadEvent.Started(
          engine: job.engine, mode: job.mode, source: job.source,
          destinations: job.destinations, fileCount: manifest.files.count,
          byteCount: manifest.byteCount, readsSourceOnce: job.readsSourceOnce,
          areFactsGivenByCaller: job.facts.hasGivenFacts)))
  }

  /// Cancelled before anything was written.
  private func stopped(_ cause: CancelCause) -> OffloadOutcome {
    OffloadOutcome(
      verdict: .interrupted, exitCode: cause.exitCode, rows: RowList(),
      problems: ["the run was interrupted before anything was written"])
  }

  private func copy(
    _ prepared: PreparedRun, _ ledger: RunLedger, _ workerCount: Int
  ) throws(OffloadError) {
    let first = prepared.destinations[0]
    reports(prepared).removeLitter { path, error in
      first.leaveBehind(path)
      first.warn("left from an earlier run: \(path.escaped): \(error)")
    }
    for (destination, survey) in zip(prepared.destinations, prepared.surveys) {
      LitterSweep(destination: destination).run(survey.litter)
      DirectoryBuilder(destination: destination, survey: survey).run(isCancelled: isCancelled)
    }
    let passes: Int64 = job.mode.verifies ? 2 : 1
    let transfer = FileTransfer(
      context: RunContext(
        mode: job.mode, readsSourceOnce: job.readsSourceOnce, manifest: prepared.manifest,
        ids: ids, clock: clock),
      source: prepared.source, destinations: prepared.destinations, ledger: ledger,
      lanes: Lanes(destinationCount: prepared.destinations.count),
      progress: ProgressMeter(
        clock: clock, sink: sink, fileCount: prepared.manifest.files.count,
        totalByteCount: prepared.manifest.byteCount.multipliedReportingOverflow(
          by: passes * Int64(prepared.destinations.count)
        ).partialValue), isCancelled: isCancelled)
    do throws(SystemError) {
      try CopyRun(
        transfer: transfer, workerCount: workerCount,
        bound: Workers.batch(workerCount, destinations: prepared.destinations.count)
      ).run()
    } catch {
      throw .machine("\(error)")
    }
  }

  private func finish(
    _ prepared: PreparedRun, _ ledger: RunLedger, _ startedAt: Timestamp
  ) -> OffloadOutcome {
    let verdict = RunVerdictRule(
      counts: ledger.counts, expectedRows: prepared.manifest.files.count * job.destinations.count,
      folderProblems: folderProblems(prepared), cancelCause: cancelCause(), mode: job.mode)
    let warnings =
      prepared.manifest.skipped.warnings + prepared.destinations.flatMap(\.warnings)
    let unreported = OffloadOutcome(
      verdict: verdict.verdict, exitCode: verdict.exitCode, rows: ledger.rows,
      warnings: warnings, problems: verdict.problems,
      leftBehind: prepared.destinations.flatMap(\.leftBehind))
    let outcome = report(unreported, prepared, startedAt)
    for warning in warnings { sink.send(.warning(warning)) }
    for row in outcome.rows { sink.send(.row(row)) }
    return outcome
  }

  private func folderProblems(_ prepared: PreparedRun) -> [String] {
    prepared.destinations.flatMap { destination in
      destination.failedDirectories.map { index, failure in
        let folder = destination.path.appending(prepared.manifest.path(ofDirectory: index))
        return "\(folder.escaped): \(failure.cause)"
      }
    }
  }

  private func reports(_ prepared: PreparedRun) -> ReportStore {
    ReportStore(root: prepared.destinations[0].root, ids: ids)
  }

  /// Saves the report; without it a verified run is no success.
  private func report(
    _ outcome: OffloadOutcome, _ prepared: PreparedRun, _ startedAt: Timestamp
  ) -> OffloadOutcome {
    let finishedAt = clock.now()
    let fingerprint = (try? prepared.manifest.fingerprint())?.text
    let header = ReportHeader(
      engine: job.engine, mode: job.mode, readsSourceOnce: job.readsSourceOnce,
      sourcePath: prepared.source.root.path, sourceFileCount: prepared.manifest.files.count,
      sourceByteCount: prepared.manifest.byteCount, fingerprint: fingerprint,
      destinations: prepared.destinations.map { ($0.path, $0.facts) }, startedAt: startedAt,
      finishedAt: finishedAt)
    var left: [BytePath] = []
    do throws(SystemError) {
      let path = try reports(prepared).save(
        Report(header: header, outcome: outcome),
        ReportSummary(header: header, outcome: outcome), finishedAt: finishedAt
      ) { left.append($0) }
      return outcome.with(report: path)
    } catch {
      return outcome.without(
        reportBecause: "the report could not be saved: \(error)", leftBehind: left)
    }
  }
}
