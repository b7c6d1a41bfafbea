// SPDX-License-Identifier: Apache-2.0

/// Streams of messages and interface texts to begin with.
enum VarlinkSeeds {
    static let streams: [(name: String, bytes: [UInt8])] = [
        ("get-info", stream(#"{"method":"org.varlink.service.GetInfo"}"#)),
        (
            "describe",
            stream(
                #"{"method":"org.varlink.service.GetInterfaceDescription","parameters":{"interface":"org.example.fuzz1"}}"#)
        ),
        (
            "echo",
            stream(
                #"{"method":"org.example.fuzz1.Echo","parameters":{"word":"a\n\u00e9\ud83d\ude00","level":"loud","#
                    + #""files":[{"name":"b","size":-12}],"ratio":1.5e-3}}"#)
        ),
        ("more", stream(#"{"method":"org.example.fuzz1.Watch","parameters":null,"more":true}"#)),
        ("expected-more", stream(#"{"method":"org.example.fuzz1.Watch"}"#)),
        ("oneway", stream(#"{"method":"org.example.fuzz1.Echo","parameters":{"word":""},"oneway":true}"#)),
        ("denied", stream(#"{"method":"org.example.fuzz1.Secret","parameters":{}}"#, #"{"method":"a.b.C"}"#)),
        (
            "pipelined",
            stream(#"{"method":"org.example.fuzz1.Echo"}"#, #"{"method":"org.example.fuzz1.Watch","more":true}"#, "{}")
        ),
        ("upgrade", stream(#"{"method":"org.example.fuzz1.Echo","upgrade":true}"#)),
        (
            "replies",
            stream(#"{"parameters":{"a":1}}"#, #"{"parameters":{},"continues":true}"#, "{}", #"{"error":"a.b.E"}"#)
        ),
        ("reply-with-error", stream(#"{"error":"a.b.E","continues":true}"#)),
        ("deep", stream(String(repeating: "[", count: 66))),
        ("numbers", stream("[-0,0.0,1e308,-9223372036854775808,9223372036854775807,1E-5]")),
    ]

    static let interfaces: [(name: String, text: String)] = [
        ("small", "interface a.b\n"),
        (
            "service",
            "interface org.varlink.service\nmethod GetInfo() -> (vendor: string, interfaces: []string)\nerror E ()"
        ),
        (
            "documented",
            "# A.\n#  B\ninterface a.b1\n\n# T.\ntype T (\n # f\n f: ?[]T, g: [string](), # x\n h: (a, b))\n"
                + "# [Supports 'more' flag]\nmethod M(a: T) -> (b: object)"
        ),
        ("keys", "interface a.b1 type K (key: string, keyCount: int) method TakeKeys() -> (keys: []K, bdAddr: ?float)"),
        ("endless", "interface a.b type A (b: B) type B (a: A)"),
    ]

    private static func stream(_ messages: String...) -> [UInt8] { messages.flatMap { Array($0.utf8) + [0] } }
}
