// SPDX-License-Identifier: Apache-2.0

public import VarlinkSocket

/// The code that is run when a method is called.
///
/// What it throws ends the call: `CallFailure` as that error of the interface, anything else as `MethodNotImplemented`.
public struct MethodHandler {
    let handle: (IncomingCall) throws -> Void

    /// Answers at once, on the loop. `Parameters` and `Result` hold the fields of the interface's text; parameters that do
    /// not fit end the call as `InvalidParameter`. What `answer` throws ends the call as an error, too.
    public static func reply<Parameters: Decodable, Result: Encodable>(
        _ answer: @escaping (Parameters) throws -> Result
    ) -> MethodHandler {
        MethodHandler { call in call.reply(try answer(try call.decode(Parameters.self))) }
    }

    /// Answers whenever the handler likes, on the loop: it keeps the call and replies later, or streams. What `handle`
    /// throws ends the call as an error.
    public static func call(_ handle: @escaping (IncomingCall) throws -> Void) -> MethodHandler {
        MethodHandler(handle: handle)
    }
}
