// SPDX-License-Identifier: Apache-2.0

import Interfaces
public import TimeTrust
import VarlinkSocket

extension CoreInterfaces {
    /// Told of scenes, with the last one each was told.
    struct SceneWatchers {
        var calls: [IncomingCall] = []
        var told: Indicator1.Scene?
    }

    func indicator(_ method: Indicator1.Method, _ call: IncomingCall, _ caller: Caller) throws {
        switch method {
        case .watch:
            let scene = service.scene(at: clock())
            call.reply(Indicator1.WatchReply(scene: scene), continues: true)
            sceneWatchers.calls.append(call)
            // The others get what they were not told yet with the next look.
            if sceneWatchers.calls.count == 1 { sceneWatchers.told = scene }
        case .sayNews:
            let said = try call.decode(Indicator1.NewsCall.self)
            guard service.say(reminders: said.reminders ?? [], of: caller.name) else { throw Self.invalid("reminders") }
            service.say(news: said.news, of: caller.name)
            call.reply(Nothing())
            tellScene(at: clock())
        }
    }

    /// Sends the scene at `now` to all callers that watch scenes, if it has changed and the core is not stopping. Costs
    /// little if there are none; cannot fail.
    public func tellScene(at now: BootInstant) {
        sceneWatchers.calls.removeAll { !$0.isOpen }
        guard !sceneWatchers.calls.isEmpty else { return }
        let scene = service.scene(at: now)
        guard scene != sceneWatchers.told, !service.beacon.isStopping else { return }
        sceneWatchers.told = scene
        for call in sceneWatchers.calls { call.reply(Indicator1.WatchReply(scene: scene), continues: true) }
    }
}
