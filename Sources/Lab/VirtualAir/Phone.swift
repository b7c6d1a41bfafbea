// SPDX-License-Identifier: Apache-2.0

import Cryptography
public import GAEN

/// The properties of a simulated phone.
public struct PhoneModel: Sendable {
    /// The form of the advertisements: 31 bytes as iOS sends them, or 28 as Android does; Android's unless set.
    public var form = AdvertisingPayload.Form.withoutFlags
    /// The power at the antenna in dBm, which is also in the encrypted metadata; -12 unless set. Not checked. Our own
    /// choice.
    public var transmitPower: Int8 = -12
    /// The time between two advertisements, 250 ms as in Google's phones unless set; less than 20 ms counts as 20 ms.
    public var interval = Duration.milliseconds(250)
    /// The range from which the time between two changes of address and identifier is drawn; 10 to 20 minutes, as in the
    /// specification, unless set. Times below 10 minutes count as 10 minutes, because an identifier lasts for one interval
    /// and must not appear with two addresses.
    public var rotation: ClosedRange<Duration> = .seconds(600) ... .seconds(1_200)
    /// The kind of the packets: non-connectable, as the specification of Exposure Notification has it, unless set.
    public var kind = AdvertisingKind.nonConnectable
    /// The form of the address: non-resolvable unless set.
    public var address = AddressForm.nonResolvable

    /// The forms of a random private address. Raw values are those in scenarios.
    public enum AddressForm: String, Decodable, Sendable {
        /// The two top bits are 0.
        case nonResolvable
        /// The two top bits are 01. Nobody has the key by which it could be resolved, so that the rest is chance.
        case resolvable
    }

    /// Creates a model of an Android phone that sends at -12 dBm every 250 ms.
    public init() {}

    /// What the captured Android phones sent (docs/reality.md): scannable packets without flags, from resolvable addresses,
    /// every 281 to 291 ms. They allowed 250 to 281.25 ms, and their controllers took the longest. The power is that by which Google's later tables turn their levels into attenuations, -29 dBm: a
    /// receiver that corrects nothing finds the same attenuations.
    public static let captured: PhoneModel = {
        var model = PhoneModel()
        model.kind = .scannable
        model.address = .resolvable
        model.interval = .microseconds(281_250)
        model.transmitPower = -29
        return model
    }()
}

/// A beacon without a controller: own keys by the day, address and identifier changed together.
///
/// Everything depends on the seed and on time only, so it makes no difference how often anybody looks.
struct Phone {
    let model: PhoneModel
    private let seed: UInt64
    private let epoch: Int64
    private var generator: SplitMix64
    private(set) var rotatesAt: Microseconds
    private(set) var address: AirAddress
    private var rotatedAt: Microseconds
    private var payload: (rotation: Microseconds, data: [UInt8])?
    private var dayKeys: (day: UInt32, keys: IdentifierKeys)?
    let start: Microseconds

    init(_ model: PhoneModel, seed: UInt64, epoch: Int64, start: Microseconds) {
        self.model = model
        self.seed = seed
        self.epoch = epoch
        self.start = start
        generator = SplitMix64(seed: seed)
        rotatedAt = start
        address = .random(model.address, using: &generator)
        // Nobody switches phones on for the simulation: the first period began before.
        let interval = ENIN.seconds * 1_000_000
        let elapsed = (epoch * 1_000_000 + start) % interval
        rotatesAt = start + interval - elapsed + .random(in: 0..<interval, using: &generator)
    }

    /// Whether anything changed.
    mutating func catchUp(to now: Microseconds) -> Bool {
        guard rotatesAt <= now else { return false }
        let least = max(ENIN.seconds * 1_000_000, model.rotation.lowerBound.microseconds)
        let range = least...max(least, model.rotation.upperBound.microseconds)
        while rotatesAt <= now {
            address = .random(model.address, using: &generator)
            rotatedAt = rotatesAt
            rotatesAt += .random(in: range, using: &generator)
        }
        return true
    }

    /// What is on air since the last change.
    mutating func data() -> [UInt8] {
        if let payload, payload.rotation == rotatedAt { return payload.data }
        var data: [UInt8] = []
        if let interval = interval(at: rotatedAt), let keys = keys(of: interval.day) {
            let identifier = keys.identifier(for: interval)
            let metadata = BluetoothMetadata.version11(transmitPower: model.transmitPower, confidence: .medium)
            data = AdvertisingPayload(identifier: identifier, metadata: keys.encrypt(metadata, with: identifier))
                .advertisingData(model.form)
        }
        payload = (rotatedAt, data)
        return data
    }

    func interval(at time: Microseconds) -> ENIN? { ENIN(unixSeconds: epoch + time / 1_000_000) }

    /// The key of a day since 1970.
    func temporaryExposureKey(day: UInt32) -> TemporaryExposureKey? {
        var generator = SplitMix64(seed: seed ^ UInt64(day) &* 0xD6E8_FEB8_6659_FD93)
        let block = Block(low: generator.next(), high: generator.next())
        return TemporaryExposureKey(
            secret: SecretBytes(copying: block.bytes), rollingStart: ENIN(day * ENIN.perDay), rollingPeriod: ENIN.perDay)
    }

    private mutating func keys(of day: UInt32) -> IdentifierKeys? {
        if let dayKeys, dayKeys.day == day { return dayKeys.keys }
        guard let key = temporaryExposureKey(day: day), let keys = try? IdentifierKeys(key.secret) else { return nil }
        dayKeys = (day, keys)
        return keys
    }
}
