// SPDX-License-Identifier: Apache-2.0

import Glibc
import JSON
import RandomValues
import Testing

struct JSONTests {
    private func threadTime() -> Duration {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    private func parse(_ text: String) throws(JSONError) -> JSON { try JSON(parsing: Array(text.utf8)) }

    @Test func `Values are read and written as they are`() throws {
        let text = #"{"b":[1,-2,0.5,1e+300,true,false,null],"a":{"x":"é\n\"\\","y":{}},"empty":[]}"#
        #expect(try parse(text).description == text)
        let value = try parse(#" { "a" : "\u00e9\ud83d\ude00\/" , "n" : 9223372036854775807 } "#)
        #expect(value == ["a": "é😀/", "n": .int(.max)])
        #expect(try parse("-9223372036854775808") == .int(.min))
        #expect(try parse("3.0") == .double(3))
        #expect(try parse("-0") == 0)
    }

    @Test(
        arguments: [
            ("", .malformedJSON), ("nul", .malformedJSON), ("nulll", .malformedJSON), ("01", .malformedJSON),
            ("+1", .malformedJSON), ("1.", .malformedJSON), (".5", .malformedJSON), ("1e", .malformedJSON),
            ("-", .malformedJSON), ("[1,]", .malformedJSON), ("{\"a\":1,}", .malformedJSON), ("{a:1}", .malformedJSON),
            ("{\"a\" 1}", .malformedJSON), ("[1 2]", .malformedJSON), ("\"a", .malformedJSON), ("\"\t\"", .malformedJSON),
            (#""\x""#, .malformedJSON), (#""\u12g4""#, .malformedJSON), (#""\u123"#, .malformedJSON),
            ("1 1", .malformedJSON),
            ("{} {}", .malformedJSON), ("{}\u{0}", .malformedJSON), ("NaN", .malformedJSON), ("'a'", .malformedJSON),
            ("// c", .malformedJSON),
            (#"{"a":1,"a":1}"#, .duplicateKey), (#"{"a":1,"\u0061":1}"#, .duplicateKey),
            ("9223372036854775808", .numberOutOfRange), ("-9223372036854775809", .numberOutOfRange),
            ("1e999", .numberOutOfRange), (String(repeating: "1", count: 129), .numberOutOfRange),
            (#""\ud800""#, .loneSurrogate), (#""\udc00""#, .loneSurrogate), (#""\ud800\ud800""#, .loneSurrogate),
            (#""\ud800x""#, .loneSurrogate), (#""\u0000""#, .zeroCharacter),
        ] as [(String, JSONError.Code)])
    func `What is not strict JSON is refused`(text: String, code: JSONError.Code) {
        #expect(throws: JSONError(code)) { try parse(text) }
    }

    @Test(
        arguments: [
            [0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xE2, 0x82], [0x80],
        ] as [[UInt8]])
    func `Text must be UTF-8, with and without escapes`(bad: [UInt8]) {
        #expect(throws: JSONError(.notUTF8)) { try JSON(parsing: [0x22] + bad + [0x22]) }
        #expect(throws: JSONError(.notUTF8)) { try JSON(parsing: [0x22, 0x5C, 0x6E] + bad + [0x22]) }
    }

    @Test func `Nesting ends at its limit`() throws {
        func nested(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        #expect(throws: Never.self) { try parse(nested(64)) }
        #expect(throws: JSONError(.nestedTooDeep)) { try parse(nested(65)) }
        #expect(throws: JSONError(.nestedTooDeep)) { try parse(String(repeating: "[", count: 60_000)) }
        #expect(throws: JSONError(.nestedTooDeep)) { try parse(String(repeating: #"{"a":"#, count: 10_000)) }
    }

    @Test func `Many names are compared quickly, and a double one among them is found`() throws {
        let names = (0..<7000).map { "\"k\($0)\":0" }
        // Of this thread's processor: the clock on the wall is everybody's.
        let start = threadTime()
        _ = try parse("{\(names.joined(separator: ","))}")
        #expect(threadTime() - start < .seconds(2))
        #expect(throws: JSONError(.duplicateKey)) {
            try parse("{\(names.joined(separator: ",")),\"k6000\":1}")
        }
    }

    /// In a name and in a value, as they are and escaped: to compare such a text takes the square of its length.
    @Test func `Texts with endless marks are refused`() throws {
        func text(_ count: Int, escaped: Bool) -> String {
            "a" + (0..<count).map { _ in escaped ? "\\u0301" : "\u{301}" }.joined()
        }
        for escaped in [false, true] {
            for frame in ["[\"#\"]", "{\"#\":1}", "{\"b\":\"#\"}", "\"#\""] {
                let good = frame.replacing("#", with: text(30, escaped: escaped))
                #expect(throws: Never.self) { try JSON(parsing: Array(good.utf8)) }
                let bad = frame.replacing("#", with: text(31, escaped: escaped))
                #expect(throws: JSONError(.tooManyMarks)) { try JSON(parsing: Array(bad.utf8)) }
            }
        }
        let halves = String(repeating: "\u{301}", count: 20)
        #expect(throws: JSONError(.tooManyMarks)) { try JSON(parsing: Array("\"\(halves)\\u0323\(halves)\"".utf8)) }
    }

    @Test func `Errors say where`() {
        do {
            _ = try parse(#"{"a":truth}"#)
            Issue.record("it was accepted")
        } catch {
            #expect(error.place == .byte(5))
            #expect(error.description.contains("malformedJSON"))
        }
    }

    @Test func `Random values come back from their bytes`() throws {
        var random = SeededGenerator(seed: 1)
        for _ in 0..<3000 {
            let value = JSON.random(depth: 4, &random)
            #expect(try JSON(parsing: value.bytes) == value)
            #expect(try JSON(parsing: value.bytes).bytes == value.bytes)
        }
    }

    @Test func `Every cut and every changed byte is read or refused`() {
        let message = Array(
            #"{"method":"org.e.x1.Do","parameters":{"a":[1,-2.5e3,"é\n\ud83d\ude00"],"b":null},"more":true}"#.utf8)
        for count in 0..<message.count {
            #expect(throws: JSONError.self) { try JSON(parsing: Array(message[..<count])) }
        }
        var accepted = 0
        for index in message.indices {
            for byte in UInt8.min...UInt8.max {
                var changed = message
                changed[index] = byte
                // What is read must be readable again.
                if let value = try? JSON(parsing: changed) {
                    accepted += 1
                    #expect((try? JSON(parsing: value.bytes)) == value)
                }
            }
        }
        #expect(accepted > message.count)
    }
}
