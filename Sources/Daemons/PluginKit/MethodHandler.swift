// SPDX-License-Identifier: Apache-2.0

public import VarlinkSocket

/// The code that runs when a method is called.
///
/// An error that the handler throws ends the call: `CallFailure` as that error of the interface, any other error as
/// `MethodNotImplemented`.
public struct MethodHandler {
    let handle: (IncomingCall) throws -> Void

    /// Returns a handler that answers at once, on the loop. `Parameters` and `Result` hold the fields of the interface's
    /// text; a call whose parameters do not fit `Parameters` ends with `InvalidParameter`. An error that `answer` throws
    /// ends the call, too.
    public static func reply<Parameters: Decodable, Result: Encodable>(
        _ answer: @escaping (Parameters) throws -> Result
    ) -> MethodHandler {
        MethodHandler { call in call.reply(try answer(try call.decode(Parameters.self))) }
    }

    /// Returns a handler that may answer later, on the loop: it keeps the call, and replies to it once or several times. An
    /// error that `handle` throws ends the call.
    public static func call(_ handle: @escaping (IncomingCall) throws -> Void) -> MethodHandler {
        MethodHandler(handle: handle)
    }
}
