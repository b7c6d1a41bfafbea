// SPDX-License-Identifier: Apache-2.0

import AppConfig
import CivilTime
import FuzzSupport
import HTTPFields
import SyncPlan

/// What servers answer, and what the journal holds after a power cut. The first byte says what the rest is.
@_cdecl("LLVMFuzzerTestOneInput")
public func testSync(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    _ = tables
    guard let kind = UnsafeBufferPointer(start: start, count: count).first else { return 0 }
    let bytes = Array(UnsafeBufferPointer(start: start + 1, count: count - 1))
    switch kind % 8 {
    case 0: days(bytes)
    case 1: hours(bytes)
    case 2: paths(bytes)
    case 3: configuration(bytes)
    case 4: headers(String(decoding: bytes, as: UTF8.self))
    case 5: journal(bytes)
    case 6: _ = (try? IndexReading.countries(bytes), VigilConfiguration(bytes))
    default:
        if let hours = try? IndexReading.traceWarningHours(bytes) {
            claim(hours.lowerBound >= 0, "hours before 1970")
        }
    }
    return 0
}

private func days(_ bytes: [UInt8]) {
    guard let days = try? IndexReading.days(bytes) else { return }
    let text = "[" + days.map { "\"\($0.isoText)\"" }.joined(separator: ",") + "]"
    claim(needed("the days again") { try IndexReading.days(Array(text.utf8)) } == days, "days differ when written again")
    for day in days { claim(CivilDate(day: day.dayNumber) == day, "a day is not that of its number") }
}

private func hours(_ bytes: [UInt8]) {
    guard let hours = try? IndexReading.hours(bytes) else { return }
    claim(hours == Set(hours).sorted() && hours.allSatisfy { (0...23).contains($0) }, "hours that are none")
}

private func paths(_ bytes: [UInt8]) {
    guard let (paths, _) = try? IndexReading.paths(bytes) else { return }
    for path in paths {
        claim(
            !path.hasPrefix("/") && !path.hasPrefix(".") && !path.contains("/.") && !path.contains(":")
                && path.hasSuffix(".zip"),
            "a path that leads away")
    }
    guard !paths.isEmpty else { return }
    let again = needed("the list again") { try IndexReading.paths(Array(paths.joined(separator: "\r\n").utf8)) }
    claim(again.paths == paths && again.refused == 0, "a list differs when written again")
}

private func configuration(_ bytes: [UInt8]) {
    guard let config = AppConfiguration(bytes) else { return }
    claim((1...1_800).contains(config.downloadTimeoutSeconds), "a time-out out of range")
    claim((1...1_800).contains(config.overallDownloadTimeoutSeconds), "a time-out out of range")
    claim((0...6).contains(config.detectionFrequency.maximumPerDay), "a frequency out of range")
    for tag in config.revokedTags { claim(EntityTag.bare("\"\(tag)\"") == tag, "a tag with quotation marks") }
    claim(AppConfiguration(bytes) == config, "read twice, a configuration differs")
}

private func headers(_ text: String) {
    if let seconds = HTTPDate.unixSeconds(text, now: 1_600_000_000) {
        let again = HTTPDate.text(unixSeconds: seconds)
        claim(again.flatMap { HTTPDate.unixSeconds($0) } == seconds, "a date differs when written again")
    }
    if let seconds = RetryAfter.seconds(text, date: nil, now: 1_600_000_000) { claim(seconds >= 0, "a wait before now") }
    if let tag = EntityTag.bare(text) {
        claim(!tag.contains("\"") && EntityTag.bare(tag) == tag, "a tag with quotation marks")
    }
    if let age = CacheControl.maximumAge(text) { claim(age >= 0, "an age below zero") }
}

private func journal(_ bytes: [UInt8]) {
    let read = JournalCodec.read(bytes)
    claim(read.soundByteCount <= bytes.count, "more is sound than there is")
    let cut = JournalCodec.read(Array(bytes.prefix(read.soundByteCount)))
    claim(cut.state == read.state && cut.soundByteCount == read.soundByteCount, "the sound part says something else")
    let again = JournalCodec.read(JournalCodec.journal(read.state))
    claim(again.state == read.state, "a journal differs when written again")
}

// The tables of messages live to the end, in enumerations whose pointers carry their case in spare bits: LeakSanitizer takes what they
// point to for lost.
@_silgen_name("__lsan_disable") private func lookAway()
@_silgen_name("__lsan_enable") private func lookAgain()

private let tables = {
    lookAway()
    defer { lookAgain() }
    return AppConfiguration([8, 1]) != nil
}()
