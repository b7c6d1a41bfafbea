// SPDX-License-Identifier: Apache-2.0

import Cryptography
import GAEN

/// What the control socket can do to an air and its clock.
struct ControlOperations {
    let air: VirtualAir

    /// What the server itself has to do.
    enum Outcome {
        case reply(ControlReply)
        case speed(Double)
        case pause(Bool)
        /// Answered when the time is reached.
        case advance(to: Duration)
        case statistics
        case quit
    }

    func perform(_ line: [UInt8]) throws(VirtualAirError) -> Outcome {
        let request = try ControlRequest.decode(ControlRequest.self, line)
        var reply = ControlReply()
        switch request.op {
        case "list": list(into: &reply)
        case "move": try move(request)
        case "set": try set(request)
        case "fix":
            let (one, other) = (try device(request.a, "a"), try device(request.b, "b"))
            try Limits.level.check(request.rssi.map { Double($0) }, "rssi")
            air.fix(one, other, rssi: request.rssi)
        case "env":
            let change = try ControlRequest.decode(Scenario.EnvironmentChange.self, line)
            try change.check()
            try Limits.speed.check(request.speed, "speed")
            change.apply(to: air)
            if let speed = request.speed { return .speed(speed) }
        case "fault":
            let fault = try Fault(
                kind: request.kind, seconds: request.seconds, rate: request.rate, cure: request.cure)
            air.apply(fault, to: try controller(request.id))
        case "clear":
            let kind = request.kind.flatMap(Fault.Kind.init)
            try need(kind != nil || request.kind == nil, "there is no such kind of fault")
            air.clearFaults(kind, of: try controller(request.id))
        case "power": air.powerCycle(try controller(request.id))
        case "phone": reply.id = try phone(line, request)
        case "advertiser": reply.id = try advertiser(request)
        case "bystander":
            let path = try Limits.path(request.path ?? [[0, request.x ?? 0, request.y ?? 0]])
            reply.id = air.addBystander(path: path).rawValue
        case "keys": reply.keys = try keys(request)
        case "remove": air.remove(try device(request.id, "id"))
        case "time":
            reply.now = air.now.inSeconds
            reply.epoch = air.epoch
        case "speed":
            guard let speed = request.speed else { throw missing("speed") }
            try Limits.speed.check(speed, "speed")
            return .speed(speed)
        case "pause": return .pause(request.paused ?? true)
        case "resume": return .pause(false)
        case "advance":
            guard let seconds = request.seconds else { throw missing("seconds") }
            try Limits.time.check(seconds, "seconds")
            return .advance(to: air.now + .seconds(seconds))
        case "stats": return .statistics
        case "quit": return .quit
        default: throw VirtualAirError(.invalidRequest, "unknown op")
        }
        return .reply(reply)
    }

    private func missing(_ name: String) -> VirtualAirError { VirtualAirError(.invalidRequest, "\(name) is missing") }

    private func need(_ condition: Bool, _ text: String) throws(VirtualAirError) {
        guard condition else { throw VirtualAirError(.invalidRequest, text) }
    }

    private func device(_ number: Int?, _ name: String) throws(VirtualAirError) -> NodeID {
        guard let number else { throw missing(name) }
        try need(air.contains(NodeID(rawValue: number)), "there is no device with this number")
        return NodeID(rawValue: number)
    }

    private func controller(_ number: Int?) throws(VirtualAirError) -> NodeID {
        let id = try device(number, "id")
        try need(air.statistics(of: id) != nil, "this device has no controller")
        return id
    }

    private func move(_ request: ControlRequest) throws(VirtualAirError) {
        let id = try device(request.id, "id")
        if request.path != nil { return air.setPath(try Limits.path(request.path), of: id) }
        guard let x = request.x else { throw missing("x") }
        guard let y = request.y else { throw missing("y") }
        try Limits.place.check(x, "x")
        try Limits.place.check(y, "y")
        air.move(id, x: x, y: y)
    }

    private func set(_ request: ControlRequest) throws(VirtualAirError) {
        let id = try device(request.id, "id")
        try Limits.level.check(request.tx.map { Double($0) }, "tx")
        try Limits.share.check(request.loss, "loss")
        try Limits.decibel.check(request.body, "body")
        if let tx = request.tx { air.setTransmitPower(tx, of: id) }
        if let loss = request.loss { air.setLoss(loss, of: id) }
        if let body = request.body { air.setBodyLoss(body, of: id) }
    }

    private func phone(_ line: [UInt8], _ request: ControlRequest) throws(VirtualAirError) -> Int {
        var entry = try ControlRequest.decode(Scenario.PhoneEntry.self, line)
        try Limits.level.check(entry.tx.map { Double($0) }, "tx")
        try Limits.share.check(entry.loss, "loss")
        try Limits.decibel.check(entry.body, "body")
        try Limits.interval.check(entry.interval, "interval")
        try Limits.time.check(entry.until, "until")
        if entry.path == nil { entry.path = [[0, request.x ?? 0, request.y ?? 0]] }
        _ = try Limits.path(entry.path)
        return Scenario.add(entry, to: air).rawValue
    }

    private func advertiser(_ request: ControlRequest) throws(VirtualAirError) -> Int {
        guard let data = HexText.bytes(request.data ?? ""), data.count <= 31 else {
            throw VirtualAirError(.invalidRequest, "data takes up to 31 bytes as hexadecimal digits")
        }
        try Limits.interval.check(request.interval, "interval")
        try Limits.time.check(request.seconds, "seconds")
        let addressing: Addressing
        if let text = request.address {
            guard let bytes = HexText.bytes(text.filter { $0 != ":" }), bytes.count == 6 else {
                throw VirtualAirError(.invalidRequest, "address takes six bytes: 00:11:22:33:44:55")
            }
            addressing = .fixed(AirAddress(littleEndian: bytes.reversed(), isRandom: true))
        } else {
            addressing = .rotating(every: .seconds(request.seconds ?? 900))
        }
        try Limits.level.check(request.tx.map { Double($0) }, "tx")
        let path = try Limits.path(request.path ?? [[0, request.x ?? 0, request.y ?? 0]])
        return air.addAdvertiser(
            data: data, addressing: addressing, interval: .seconds(request.interval ?? 0.1),
            transmitPower: request.tx ?? -12, path: path
        ).rawValue
    }

    private func keys(_ request: ControlRequest) throws(VirtualAirError) -> [ControlReply.Key] {
        air.keys(of: try device(request.id, "id")).map { key in
            ControlReply.Key(
                key: key.secret.withBytes { HexText.text($0) }, rollingStart: key.rollingStart.number,
                rollingPeriod: key.rollingPeriod)
        }
    }
}

extension ControlOperations {
    private func list(into reply: inout ControlReply) {
        reply.sent = air.statistics.transmitted
        reply.delivered = air.statistics.delivered
        reply.nodes = air.nodes.map { node in
            let broadcasting = air.broadcasting(node.id)
            let position = node.path.position(at: air.time)
            let statistics = node.controller?.statistics
            return ControlReply.Device(
                id: node.id.rawValue, kind: node.kindName, pos: [position.x, position.y], tx: node.transmitPower,
                loss: node.loss, body: node.bodyLoss, adv: !broadcasting.isEmpty, scan: air.isScanning(node.id),
                addr: ControlReply.Address(text: (broadcasting.first ?? air.randomAddress(of: node.id))?.text),
                connected: node.controller?.isConnected,
                faults: node.controller.map { $0.faults.map(\.fault.kind.rawValue) },
                commands: statistics?.commands, refusals: statistics?.refusals, reports: statistics?.reports,
                dropped: statistics?.droppedReports, scans: statistics?.scans)
        }
    }
}

extension Node {
    fileprivate var kindName: String {
        switch script {
        case .phone: "phone"
        case .advertiser: "advertiser"
        case .bystander: "bystander"
        case nil: "controller"
        }
    }
}

extension Duration {
    var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}

/// Two digits a byte.
enum HexText {
    static func text(_ bytes: some Sequence<UInt8>) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    static func bytes(_ text: String) -> [UInt8]? {
        let digits = text.utf8.map {
            UInt8(ascii: "0") <= $0 && $0 < 128 ? Character(UnicodeScalar($0)).hexDigitValue : nil
        }
        guard digits.count.isMultiple(of: 2) else { return nil }
        return stride(from: 0, to: digits.count, by: 2).reduce(into: []) { bytes, index in
            guard let high = digits[index], let low = digits[index + 1] else {
                bytes = nil
                return
            }
            bytes?.append(UInt8(high << 4 | low))
        }
    }
}
