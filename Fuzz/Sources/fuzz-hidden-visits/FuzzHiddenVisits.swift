// SPDX-License-Identifier: Apache-2.0

import BLS12381
import CrowdNotifier
import Cryptography
import FuzzSupport
import JSON
import VenuePlan

/// Hidden visits as the disk has them, and trace keys that are tried on them: read, or nothing, and no visit opens that was changed.
///
/// The first byte chooses: changes to an hour, to the entry or to the end of a visit; what somebody with the wearer's or the authority's public key has encrypted; a diary; a wearer's choice; a list of
/// trace keys; the text of a check-in.
@_cdecl("LLVMFuzzerTestOneInput")
public func testHiddenVisits(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    _ = tables
    let input = Array(UnsafeBufferPointer(start: start, count: count))
    guard let choice = input.first else { return 0 }
    let bytes = Array(input.dropFirst())
    switch choice % 9 {
    case 0: checkHour(bytes)
    case 1: checkParts(changed(HiddenSeeds.visit.entry, bytes), HiddenSeeds.visit.end)
    case 2: checkParts(HiddenSeeds.visit.entry, changed(HiddenSeeds.visit.end, bytes))
    case 3: checkContent(bytes)
    case 4: checkMessage(bytes)
    case 5: checkDiary(bytes)
    case 6: checkChoice(bytes)
    case 7: checkList(bytes)
    default: checkAttempt(String(decoding: bytes, as: UTF8.self))
    }
    return 0
}

/// Two bytes of place and some that are added there, or the fuzzer would never come to the last parts of what is encrypted.
private func changed(_ original: [UInt8], _ bytes: [UInt8]) -> [UInt8] {
    var result = original
    guard bytes.count > 2 else { return result }
    let place = (Int(bytes[0]) << 8 | Int(bytes[1])) % original.count
    for (index, byte) in bytes.dropFirst(2).enumerated() where place + index < result.count {
        result[place + index] ^= byte
    }
    return result
}

private func stay(_ sealed: [UInt8], openUntil: Int64? = nil) -> HiddenMatcher.Stay {
    let visit = HiddenSeeds.visit
    return needed("a visit") {
        guard let hour = HiddenVisit.Hour(day: HiddenSeeds.warning.day, sealed: sealed),
            let visit = HiddenVisit(key: visit.key, entry: visit.entry, hours: [hour], end: visit.end)
        else { return nil }
        return HiddenMatcher.Stay(number: 1, visit: visit, openUntil: openUntil)
    }
}

private func checkHour(_ bytes: [UInt8]) {
    let original = HiddenSeeds.visit.hours[0].sealed
    let sealed = changed(original, bytes)
    let found = needed("an answer") { try HiddenMatcher([stay(sealed)]).matches(HiddenSeeds.warning) }
    claim(found.isEmpty == (sealed != original), "an hour that was changed opens, or one that was not does not")
    claim(
        HiddenVisit.Hour(day: 0, sealed: bytes) == nil || bytes.count == HiddenVisit.Hour.byteCount,
        "an hour of another length")
}

private func checkParts(_ entry: [UInt8], _ end: [UInt8]) {
    let visit = HiddenSeeds.visit
    let isSame = entry == visit.entry && end == visit.end
    let other = needed("a visit") { HiddenVisit(key: visit.key, entry: entry, hours: visit.hours, end: end) }
    let read = needed("an answer") { try reader.read(other) as (content: HiddenContent, departure: Int64)?? }
    claim((read != nil) == isSame, "what was changed can be read, or what was not cannot")
    if let read {
        claim(read.content.arrival == HiddenSeeds.arrival && read.departure == HiddenSeeds.departure, "another visit")
        claim(read.content.place.name == "Fuzz" && read.content.place.address == "Street 1", "another place")
    }
}

/// Whoever has the disk can write an entry of their own there: the public key is on it.
private func checkContent(_ bytes: [UInt8]) {
    let length = HiddenVisit.entryByteCount - ciphertextOverhead
    let content = Array((bytes + [UInt8](repeating: 0, count: length)).prefix(length))
    var random = HashedWords(words: "vigil fuzz content")
    let text = needed("an entry") {
        try IdentityCiphertext(
            encrypting: content, to: Array("vigil entry of a visit".utf8), under: HiddenSeeds.keys.wearer, using: &random)
    }
    let visit = HiddenSeeds.visit
    let other = needed("a visit") {
        HiddenVisit(key: visit.key, entry: packed(text), hours: visit.hours, end: visit.end)
    }
    guard let read = needed("an answer", { try reader.read(other) as (content: HiddenContent, departure: Int64)?? }) else {
        return
    }
    claim(
        read.content.place.name.utf8.count <= 240 && read.content.place.address.utf8.count <= 240, "a text that is too long"
    )
    claim("\(read.content)" == "HiddenContent" && "\(read.content.place)" == "HiddenPlace", "a place is printed")
}

/// What was encrypted to an hour's identity by somebody else, such as by whoever made the code.
private func checkMessage(_ bytes: [UInt8]) {
    let length = HiddenVisit.Hour.byteCount - ciphertextOverhead
    let message = Array((bytes + [UInt8](repeating: 0, count: length)).prefix(length))
    var random = HashedWords(words: "vigil fuzz message")
    let text = needed("an hour") {
        try IdentityCiphertext(
            encrypting: message, to: HiddenSeeds.warning.identity, under: HiddenSeeds.keys.authority, using: &random)
    }
    for until in [nil, HiddenSeeds.departure] {
        let found = needed("an answer") {
            try HiddenMatcher([stay(packed(text), openUntil: until)]).matches(HiddenSeeds.warning)
        }
        claim(
            found.count <= 1 && found.allSatisfy { $0.visit == 1 && $0.hour - $0.hour % 86_400 == HiddenSeeds.warning.day },
            "a match of another day")
    }
}

private func checkDiary(_ bytes: [UInt8]) {
    guard let json = try? JSON(parsing: bytes, maximumDepth: 16) else { return }
    do throws(DiaryError) {
        let diary = try VisitDiary(json)
        claim((try? VisitDiary(diary.json)) == diary, "written it is another one")
        claim(diary.visits.count <= VisitDiary.maximumVisits && diary.hiddenCount <= diary.visits.count, "too many visits")
        let stays = diary.hiddenStays(at: HiddenSeeds.arrival)
        // Each costs a multiplication for each of its hours.
        let matcher = HiddenMatcher(Array(stays.prefix(2)))
        claim(matcher.days.allSatisfy { matcher.trialCount(day: $0) > 0 }, "a day without an hour")
        for stay in stays.prefix(1) {
            _ = needed("an answer") { try reader.read(stay.visit) as (content: HiddenContent, departure: Int64)?? }
        }
    } catch {
        claim(isShowable(error.description) && error.code == .damagedDiary, "a refusal that cannot be shown")
    }
}

private func checkChoice(_ bytes: [UInt8]) {
    guard let json = try? JSON(parsing: bytes, maximumDepth: 16), let hiding = VisitHiding(json) else { return }
    claim(VisitHiding(hiding.json) == hiding && "\(hiding)" == "VisitHiding", "written it is another one")
    // No key that is a point is needed for that, and none may stop anybody.
    _ = try? MasterPublicKey(hiding.publicKey)
    claim((try? hiding.opened(by: SecretBytes(copying: Array("short".utf8)))) == nil, "a secret that is none opens")
}

private func checkList(_ bytes: [UInt8]) {
    guard let list = try? TraceKeyList(decoding: bytes, wanted: nil) else { return }
    let matcher = HiddenMatcher([HiddenMatcher.Stay(number: 1, visit: HiddenSeeds.visit)])
    for key in list.keys.prefix(2) {
        let found = needed("an answer") { try matcher.matches(key) }
        let isOurs = key.identity == HiddenSeeds.warning.identity && key.secretKey == HiddenSeeds.warning.secretKey
        claim(found.isEmpty || isOurs, "a key opens what is not its own")
    }
}

private func checkAttempt(_ text: String) {
    guard let mark = CheckInMark(HiddenSeeds.venue, attempt: text) else { return }
    claim(
        (22...64).contains(text.utf8.count) && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }, "a text that may not be one"
    )
    claim(CheckInMark(HiddenSeeds.venue, attempt: text) == mark && "\(mark)" == "CheckInMark", "another mark")
    claim(
        CheckInMark(HiddenSeeds.venue, attempt: "a" + text.dropFirst()) == mark || !text.hasPrefix("a"),
        "one text with two marks")
}

/// Point, mask, nonce, and the tag of the box.
private let ciphertextOverhead =
    MasterPublicKey.byteCount + IdentityCiphertext.maskedByteCount + SecretBox.nonceByteCount + SecretBox.tagByteCount

private func packed(_ text: IdentityCiphertext) -> [UInt8] { text.pointBytes + text.masked + text.nonce + text.box }

private let reader = needed("a reader") { HiddenReader(secret: HiddenSeeds.wearer) }

// Tables of the libraries live to the end, where LeakSanitizer does not find them.
@_silgen_name("__lsan_disable") private func lookAway()
@_silgen_name("__lsan_enable") private func lookAgain()

private let tables: Bool = {
    lookAway()
    defer { lookAgain() }
    checkHour([])
    checkParts(HiddenSeeds.visit.entry, HiddenSeeds.visit.end)
    checkContent([])
    checkMessage([])
    checkDiary(Array("{}".utf8))
    checkAttempt("0123456789abcdef012345")
    return true
}()
