// SPDX-License-Identifier: Apache-2.0

import Interfaces
import PluginKit
import SyncPlan

/// What the plugin asks of the core, and what the answers mean for a run. Waits for them.
enum CoreCalls {
    // The core tells progress while it works; that long without any is too long.
    private static let patience = Duration.seconds(600)

    static func state(_ path: String?) -> Result<CoreState, CoreFailure> {
        client(path).flatMap { client in
            do throws(VarlinkSocketError) {
                let reply = try client.call(
                    "\(Exposure1.name).GetStatus", NoFields(), as: Exposure1.StatusReply.self)
                return .success(CoreState(reply.status))
            } catch { return .failure(failure(error)) }
        }
    }

    static func provide(_ files: [String], _ path: String?, isStopped: () -> Bool) -> Result<Void, CoreFailure> {
        client(path).flatMap { client in
            do {
                var result: Exposure1.ProvideResult?
                let parameters = try JSON(encoding: Exposure1.Files(files: files))
                try client.callMore("\(Exposure1.name).ProvideDiagnosisKeys", parameters) { json in
                    result = try json.decode(Exposure1.ProvideReply.self).result ?? result
                    // Breaking off takes the call back: all or nothing, and nothing of it is lost.
                    return !isStopped()
                }
                guard result != nil else {
                    return .failure(
                        CoreFailure(
                            .later(until: nil), name: "noAnswer",
                            sentence: "the core did not say what became of the files; they are offered again"))
                }
                return .success(())
            } catch let error as VarlinkSocketError {
                return .failure(failure(error))
            } catch {
                return .failure(
                    CoreFailure(.later(until: nil), name: "noAnswer", sentence: "the core's answer is not understood"))
            }
        }
    }

    static func makeNonce(_ path: String?) -> Result<String, CoreFailure> {
        client(path).flatMap { client in
            do throws(VarlinkSocketError) {
                return .success(
                    try client.call("\(Time1.name).MakeNonce", NoFields(), as: Time1.NonceReply.self).challenge)
            } catch { return .failure(failure(error)) }
        }
    }

    static func takeSignedTime(_ document: String, _ path: String?) -> Result<Bool, CoreFailure> {
        client(path).flatMap { client in
            do throws(VarlinkSocketError) {
                let reply = try client.call(
                    "\(Time1.name).TakeSignedTime", Time1.TakeCall(document: document), as: Time1.TakeReply.self)
                return .success(reply.state == .authenticated)
            } catch { return .failure(failure(error)) }
        }
    }

    private static func client(_ path: String?) -> Result<VarlinkClient, CoreFailure> {
        guard let path else {
            return .failure(
                CoreFailure(
                    .notPermitted, name: "notGranted",
                    sentence: "this plugin was not granted to call the core; grant it in grants.json"))
        }
        do throws(VarlinkSocketError) {
            return .success(try VarlinkClient(path: path, timeout: patience))
        } catch { return .failure(failure(error)) }
    }

    private static func failure(_ error: VarlinkSocketError) -> CoreFailure {
        guard let reply = error.reply, let name = reply.error else {
            return CoreFailure(
                .later(until: nil), name: "coreOutOfReach",
                sentence: "the core does not answer; it is restarted by the supervisor, and asked again later")
        }
        let word = String(name.split(separator: ".").last ?? "")
        let reason = reply.parameters["reason"]?.string ?? "the core refused with \(word)"
        let kind: CoreFailure.Kind
        switch word {
        case "FileRefused":
            let rule = reply.parameters["rule"]?.string ?? word
            return CoreFailure(
                .fileRefused(file: reply.parameters["file"]?.string ?? "", rule: rule), name: rule, sentence: reason)
        case "TimeUnknown": kind = .timeUnknown
        case "LimitReached": kind = .later(until: reply.parameters["nextPermitted"]?.int)
        case "NotEnabled", "WrongRole", "PermissionDenied": kind = .notPermitted
        default: kind = .later(until: nil)
        }
        return CoreFailure(kind, name: word, sentence: reason)
    }
}

extension CoreState {
    init(_ status: Exposure1.Status) {
        let isPerson = status.role == .person
        let isTime = status.state == .timeUnknown
        self.init(
            takesFiles: status.enabled && isPerson && !isTime && status.state != .stopping,
            isOnlyTime: status.enabled && isPerson && isTime, isTimeAuthenticated: status.timeState == .authenticated,
            sentence: isPerson
                ? status.sentence
                : "this device stands in a place and has no personal risk: keys are not fetched for it; switch this plugin off"
        )
    }
}
