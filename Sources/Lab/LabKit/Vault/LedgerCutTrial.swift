// SPDX-License-Identifier: Apache-2.0

import Cryptography
import GAEN
import Ledger
import Matching
import Vault

/// Uses a vault and its ledger at random on one disk, cuts the power or kills the process at a random operation, opens both
/// again, and compares their contents with what was committed, until the wanted number of cuts is made.
///
/// What was committed must be there; the interrupted transaction must be there completely or not at all; the audit chain
/// must be intact; and a ticket must be redeemed only once.
public struct LedgerCutTrial {
    static let path = "ledger.sqlite"

    private var generator: any RandomNumberGenerator
    private var data = SimulatedStorage()
    private var keys = SimulatedStorage()
    private let vfs: SimulatedVFS
    private var committed = LedgerModel()
    /// What the transaction under way would make of it.
    private var underWay: LedgerModel?
    /// The number of cuts that were made so far, 0 or more.
    public private(set) var cuts = 0
    /// The number of cuts after each step of the ledger, by the step's name, to see that every step is met. Each is 1 or
    /// more; steps without a cut are absent.
    public private(set) var places: [String: Int] = [:]
    /// The number of transactions that were committed so far, 0 or more.
    public private(set) var transactions = 0
    /// The number of tickets that were redeemed so far, 0 or more.
    public private(set) var redeemed = 0

    /// Creates a trial on an empty storage for data and another for keys, with one power supply. Everything follows from
    /// `generator`.
    public init(generator: any RandomNumberGenerator) {
        self.generator = generator
        // One supply for both, so that the cut falls anywhere in the order of things.
        keys = SimulatedStorage(power: data.power)
        vfs = SimulatedVFS(data)
    }

    /// Makes cuts until there were `count` since the trial began; blocks. Returns the first thing that went wrong, in
    /// English; `nil` if nothing did.
    public mutating func run(cuts count: Int) -> String? {
        while cuts < count {
            if let problem = life() { return "after \(cuts) cuts: \(problem)" }
        }
        return nil
    }

    /// From one start to the next cut.
    private mutating func life() -> String? {
        // Mostly within the first transactions; now and then far enough for the log to be folded in.
        let reach = Int.random(in: 0..<20, using: &generator) == 0 ? 4_000 : 160
        data.operationsUntilCut = .random(in: 0...reach, using: &generator)
        let place = Place()
        do {
            let vault = try Vault(data, provider: FileKeyProvider(keys), generator: Offspring(of: &generator))
            let ledger = try Ledger(
                path: Self.path, keys: VaultLedgerKeys(vault), vfs: vfs.name, folder: vfs,
                generator: Offspring(of: &generator)
            ) { place.step = $0 }
            if data.power.isCut { throw StorageFailure(.cut) }
            if let problem = try compare(ledger) { return problem }
            while true { try use(ledger) }
        } catch {
            guard data.power.isCut else { return "\(error)" }
            places[place.step, default: 0] += 1
            restart()
            return nil
        }
    }

    private final class Place { var step = "before the ledger" }

    private mutating func restart() {
        cuts += 1
        // Half the cuts are of the process only: what it wrote is still there, synced or not.
        if Bool.random(using: &generator) {
            let power = SimulatedPower()
            data = data.afterCut(on: power, using: &generator)
            keys = keys.afterCut(on: power, using: &generator)
        }
        data.operationsUntilCut = nil
        vfs.storage = data
    }

    private mutating func use(_ ledger: Ledger) throws {
        var next = committed
        if Int.random(in: 0..<25, using: &generator) == 0 {
            let day = committed.today - .random(in: 1...10, using: &generator)
            next.forget(before: day)
            underWay = next
            _ = try ledger.forget(before: day)
        } else {
            let count = Int.random(in: 1...4, using: &generator)
            var changes: [LedgerModel.Change] = []
            for _ in 0..<count { changes.append(next.randomChange(using: &generator)) }
            // A ticket's name is known only once it is made, so the model learns it within the transaction.
            underWay = next
            try ledger.write { transaction in
                for change in changes {
                    if let problem = try next.apply(change, to: transaction) { throw LedgerFailure(.failed, problem) }
                    underWay = next
                }
            }
        }
        if data.power.isCut { throw StorageFailure(.cut) }
        redeemed += next.spent.count - committed.spent.count
        committed = next
        underWay = nil
        transactions += 1
    }

    private mutating func compare(_ ledger: Ledger) throws -> String? {
        for finding in ledger.findings {
            switch finding {
            case .renewalFinished: break
            default: return "\(finding)"
            }
        }
        let difference = try committed.difference(to: ledger)
        if let problem = difference {
            guard let other = underWay, try other.difference(to: ledger) == nil else { return problem }
            committed = other
        }
        underWay = nil
        return nil
    }
}

/// A generator drawn from another, so that no life draws what one before it drew: tickets of the same name would be one ticket.
private struct Offspring: RandomNumberGenerator {
    private var state: UInt64
    private let step: UInt64

    init(of generator: inout any RandomNumberGenerator) {
        state = generator.next()
        step = generator.next() | 1
    }

    mutating func next() -> UInt64 {
        state &+= step
        var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
