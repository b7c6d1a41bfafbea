// SPDX-License-Identifier: Apache-2.0

import CivilTime
import Cryptography
import ExposureRisk
import FuzzSupport
import PresenceTracing

/// Venues' codes, reports and packages of warnings of the Corona-Warn-App: read, or refused with words that can be shown.
///
/// The first byte chooses: a link, the content of one, a report, a package, the same with visits to match it with, a record that is sealed first.
@_cdecl("LLVMFuzzerTestOneInput")
public func testPresence(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    _ = tables
    let input = Array(UnsafeBufferPointer(start: start, count: count))
    guard let choice = input.first else { return 0 }
    let bytes = Array(input.dropFirst())
    switch choice % 6 {
    case 0: checkLink(String(decoding: bytes, as: UTF8.self))
    // Base64 would keep the fuzzer from ever reaching the rules behind it.
    case 1: checkLink("https://e.coronawarn.app?v=1#" + Base64URL.string(bytes))
    case 2: checkReport(bytes)
    case 3: checkPackage(bytes)
    case 4: checkMatches(bytes)
    default: checkSealed(bytes)
    }
    return 0
}

private let place = LocationID(payload: Array("fuzz".utf8))

private func checkLink(_ text: String) {
    do throws(PresenceTracingError) {
        let location = try VenueCode.read(text)
        claim(text.utf8.count <= VenueCode.maximumBytes, "a code longer than any")
        claim(
            (1...255).contains(location.name.utf16.count) && !location.name.contains(where: \.isNewline),
            "a name of another form")
        claim(location.start <= location.end && location.seed.count == 16, "a rule of content that is broken")
        claim(
            !"\(location)\(location.id)".contains(location.name) || location.name.utf8.count < 14,
            "printing tells the place")
        claim(
            needed("the link again") { try VenueCode.read(VenueCode.text(location)) } == location,
            "written it is another one")
        claim(AutoCheckOut.minutes.contains(location.autoCheckOutMinutes(checkIn: 1_614_847_200)), "a length out of range")
        // What was read makes a code that says the same, if not in the same bytes.
        let again = needed("a code of it") {
            try TraceLocation(
                name: location.name, address: location.address, start: location.start, end: location.end,
                kind: location.kind,
                defaultMinutes: location.defaultMinutes, publicKey: location.publicKey, seed: location.seed)
        }
        claim(
            again.name == location.name && again.end == location.end && again.kind == location.kind, "made again it differs"
        )
    } catch {
        checkWords(error)
    }
}

private func checkReport(_ bytes: [UInt8]) {
    do throws(PresenceTracingError) {
        let report = try ProtectedReport(decoding: bytes)
        claim(
            needed("the report again") { try ProtectedReport(decoding: report.encoded) } == report,
            "written it is another one")
        claim((try? report.open(place)) == nil, "a report of nobody's opens")
    } catch {
        checkWords(error)
    }
}

private func checkPackage(_ bytes: [UInt8]) {
    do throws(PresenceTracingError) {
        let all = try TraceWarningPackage(decoding: bytes, wanted: nil)
        claim(all.warnings.count + all.reports.count + all.implausible == all.count, "a warning that is lost")
        let none = try TraceWarningPackage(decoding: bytes, wanted: [])
        claim(none.warnings.isEmpty && none.reports.isEmpty && none.count == all.count, "a warning that nobody wanted")
        let written = TraceWarningPackage.encoded(
            hour: all.hour, region: all.region, warnings: all.warnings, reports: all.reports)
        let again = needed("the package again") { try TraceWarningPackage(decoding: written, wanted: nil) }
        claim(
            again.warnings == all.warnings && again.reports == all.reports && again.hour == all.hour,
            "written it is another one")
    } catch {
        checkWords(error)
    }
}

/// Twenty bytes are a visit and a warning about it; the order of many must not matter.
private func checkMatches(_ bytes: [UInt8]) {
    var matches: [PresenceMatch] = []
    var rest = bytes[...]
    while rest.count >= 20 {
        func number(_ offset: Int) -> Int64 {
            rest.dropFirst(offset).prefix(4).reduce(0) { $0 << 8 | Int64($1) }
        }
        let (start, length) = (number(0), number(4) % (Visit.longestSeconds + 2))
        if let visit = Visit(number: Int(rest[rest.startIndex] % 4), location: place, start: start, end: start + length),
            let record = CheckInRecord(start: number(8) / 600, period: number(12) % 5_000, level: number(16) % 10)
        {
            let found = WarningMatcher.matches(visit, record)
            let seconds = min(visit.end, record.seconds.upperBound) - max(visit.start, record.seconds.lowerBound)
            claim(found.isEmpty == (seconds <= 0), "a match without a moment in common, or none with one")
            let minutes = found.reduce(0) { $0 + $1.minutes }
            claim(abs(minutes * 60 - max(0, seconds)) <= 30 * Int64(found.count), "minutes that were not there")
            for derivation in [CheckInDerivation.published, CheckInDerivation(durationFilters: [], decays: [])] {
                guard let interval = derivation.interval(from: visit.start, to: visit.end) else { continue }
                claim(interval.lowerBound % 600 == 0 && interval.upperBound % 600 == 0, "no whole intervals")
                // Before by the first interval at most; behind by one interval and the quarter that rounding the length can add.
                claim((-599...750).contains(interval.lowerBound - visit.start), "an interval of something else")
            }
            matches += found
        }
        rest = rest.dropFirst(20)
    }
    let risk = PresenceRisk(matches, .published)
    claim(PresenceRisk(matches.reversed(), .published) == risk, "the order matters")
    claim(Set(risk.days.map(\.day)) == Set(matches.map(\.day)), "a day that is lost")
    let joined = JoinedRisk(encounters: nil, presence: risk)
    claim(joined.level != .low, "low although encounters were not judged")
    let isIncreased = risk.days.contains { $0.verdict == .level(.increased) }
    claim((joined.level == .increased) == isIncreased, "an increased day that is not told")
}

/// A record of any content, sealed as somebody with the venue's code could.
private func checkSealed(_ bytes: [UInt8]) {
    let plain = Array(bytes.prefix(15))
    let vector = [UInt8](repeating: 3, count: 16)
    let report = needed("sealed") {
        let encrypted = try AES256CBC.encrypt(plain, key: place.encryptionKey, initializationVector: vector)
        return try ProtectedReport(
            locationIDHash: place.hash, initializationVector: vector, encryptedRecord: encrypted,
            messageCode: HMACSHA256.code(for: vector + encrypted, key: place.codeKey))
    }
    do throws(PresenceTracingError) {
        let record = try report.open(place)
        claim(CheckInRecord.levels.contains(Int64(record.level)) && !record.seconds.isEmpty, "a record that says nothing")
        let again = needed("sealed again") {
            try ProtectedReport(record, location: place, initializationVector: vector).open(place)
        }
        claim(again == record, "sealed again it is another one")
    } catch {
        claim(error == PresenceTracingError(.implausibleRecord), "refused for something else")
        checkWords(error)
    }
}

private func checkWords(_ error: PresenceTracingError) {
    claim(isShowable(error.description), "a refusal that cannot be shown")
}

// Tables of the libraries live to the end, where LeakSanitizer does not find them.
@_silgen_name("__lsan_disable") private func lookAway()
@_silgen_name("__lsan_enable") private func lookAgain()

private let tables: Bool = {
    lookAway()
    defer { lookAgain() }
    _ = try? VenueCode.read("https://e.coronawarn.app?v=1#CAE")
    _ = try? ProtectedReport(decoding: [])
    checkSealed([0x08, 5, 0x10, 1, 0x18, 8])
    return true
}()
