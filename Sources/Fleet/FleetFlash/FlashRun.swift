// SPDX-License-Identifier: Apache-2.0

import CivilTime
public import FleetCard
import Glibc
import SystemCalls

/// Writes the cards of one run, all at once, a thread each; the inventory is used on the calling thread alone. Nothing is kept between runs but the
/// inventory and the marks on the cards, so a run that is cut is gone on with by the same command.
public struct FlashRun {
    /// How a card stands, for whoever watches.
    public struct Progress: Sendable {
        /// What is done at present.
        public enum Phase: Sendable {
            /// The image is being written, read back; the board's folder and the partition table are being written; all is done and in the inventory;
            /// the card failed.
            case writing, checking, finishing, done, failed
        }

        /// The phase.
        public let phase: Phase
        /// The bytes of this phase that are done.
        public let done: UInt64
        /// All bytes of this phase; 0 where there is nothing to count.
        public let total: UInt64
        /// The board that the inventory has bound to the card, in this run or before; `nil` until then.
        public let board: Board?
    }

    /// A board that a card has.
    public struct Board: Sendable, Equatable {
        /// Its serial number.
        public let serial: BoardSerial
        /// Its name.
        public let name: String

        /// Creates a board of these values; nothing is checked.
        public init(serial: BoardSerial, name: String) {
            (self.serial, self.name) = (serial, name)
        }
    }

    /// What became of a card.
    public struct Result: Sendable {
        /// The device, and the board that was next when it was looked at: another process may have taken that one first.
        public let target: FlashAdmission.Target
        /// The board that the card has, or was begun for; `nil` when it failed before any was bound to it.
        public let board: Board?
        /// `nil` when the card is written, read back and in the inventory, now or before.
        public let fault: CardFault?
        /// The seconds from the beginning of all writing until the image was written and synced, before it was read back; `nil` when that was
        /// not reached.
        public let secondsToWrite: Double?
    }

    private let image: FlashImage
    private let inventory: Inventory
    private let cards: String
    private let stallLimit: Duration

    /// Prepares a run. `cards` is the folder of the boards' folders. A card on which nothing moves for `stallLimit` is given up.
    public init(image: FlashImage, inventory: Inventory, cards: String, stallLimit: Duration = .seconds(300)) {
        self.image = image
        self.inventory = inventory
        self.cards = cards
        self.stallLimit = stallLimit
    }

    /// Writes what was admitted; returns what became of each, in the same order. `watch` is called a few times in a second on this thread with the
    /// state of each target. Blocks until each card is written, has failed, or was given up; a thread of one that was given up may stay in
    /// the system until the process ends. Faults of single cards, those of the inventory among them, are in the results.
    public func write(_ targets: [FlashAdmission.Target], watch: ([Progress]) -> Void) -> [Result] {
        let exchange = FlashExchange(count: targets.count)
        let start = SystemCall.monotonicTime()
        var planned = targets.map(\.serial)
        var boards: [Board?] = targets.map { target in
            target.isWhole || target.isResumed ? Board(serial: target.serial, name: target.name) : nil
        }
        var faults: [Int: CardFault?] = [:]
        for (index, target) in targets.enumerated() where target.isWhole { faults[index] = .some(nil) }
        for (index, target) in targets.enumerated() where !target.isWhole { begin(index, target, exchange) }
        while true {
            let states = exchange.wait(for: .milliseconds(200), known: Set(faults.keys))
            for (index, state) in states.enumerated() where faults[index] == nil {
                if let outcome = state.outcome {
                    faults[index] = .some(settle(targets[index], planned[index], outcome))
                } else if state.asks, state.answer == nil {
                    exchange.answer(index, bind(targets[index], &planned, &boards, index))
                } else if SystemCall.monotonicTime() - state.lastMove > stallLimit {
                    exchange.giveUp(index, .stalled(seconds: Int(stallLimit.components.seconds)))
                }
            }
            watch(states.enumerated().map { Self.progress($1, faults[$0], boards[$0]) })
            if faults.count == targets.count {
                return targets.enumerated().map { index, target in
                    Result(
                        target: target, board: boards[index], fault: faults[index] ?? nil,
                        secondsToWrite: states[index].writtenAt.map { ($0 - start) / .seconds(1) })
                }
            }
        }
    }

    private func begin(_ index: Int, _ target: FlashAdmission.Target, _ exchange: FlashExchange) {
        let image = image
        let isStarted = FlashThread.start {
            let writer = CardWriter(
                medium: target.medium, image: image, mark: target.mark, isMarked: target.isResumed, isUsed: target.isUsed,
                progress: { exchange.progress(index, $0, $1, $2) },
                bind: { () throws(CardFault) in try exchange.ask(index) })
            do throws(CardFault) {
                try writer.run()
                exchange.end(index, .success(()))
            } catch { exchange.end(index, .failure(error)) }
        }
        if !isStarted { exchange.end(index, .failure(.other("The system gives no more threads. Name fewer devices."))) }
    }

    /// Binds a board to the medium, and says what its folder changes. When another process was quicker: the next board.
    private func bind(
        _ target: FlashAdmission.Target, _ planned: inout [BoardSerial], _ boards: inout [Board?], _ index: Int
    ) -> Swift.Result<[Patch], CardFault> {
        do {
            let medium = record(of: target)
            while try !inventory.begin(medium, for: planned[index], at: Int64(Glibc.time(nil))) {
                guard !target.isResumed else { throw CardFault.boardTaken(serial: "\(planned[index])") }
                let next = try inventory.unwritten().lazy.compactMap { BoardSerial($0.serial) }.first { serial in
                    !planned.contains(serial) && (try? FlashAdmission.files(of: serial, inventory, cards)) != nil
                }
                guard let next else { throw CardFault.noBoard }
                planned[index] = next
            }
            let bound = try inventory.bound().first { $0.medium.mark == medium.mark }
            boards[index] = Board(serial: planned[index], name: bound?.board.name ?? "")
            // Only now: what was read before could be of a card that was made anew since.
            let files = try FlashAdmission.files(of: planned[index], inventory, cards)
            let now = Int64(Glibc.time(nil))
            let date = UTCDay(containing: now).date
            let stamp = FATFolder.time(
                year: date.year, month: date.month, day: date.day, second: Int(UTCDay.second(of: now)))
            return .success(
                try image.boot.adding(files, time: stamp) { place, count throws(ImageFault) in try image.bytes(place, count)
                })
        } catch let fault as CardFault { return .failure(fault) } catch { return .failure(.other("\(error)")) }
    }

    /// Writes into the inventory that the card is written; the fault that it has after all.
    private func settle(
        _ target: FlashAdmission.Target, _ serial: BoardSerial, _ outcome: Swift.Result<Void, CardFault>
    ) -> CardFault? {
        if case .failure(let fault) = outcome { return fault }
        do throws(InventoryFault) {
            let isDone = try inventory.finish(record(of: target), for: serial, at: Int64(Glibc.time(nil)))
            return isDone ? nil : .boardTaken(serial: "\(serial)")
        } catch { return .other(error.description) }
    }

    private func record(of target: FlashAdmission.Target) -> Inventory.Medium {
        Inventory.Medium(
            mark: target.mark.description, size: target.device.size, cardNumber: target.device.cardNumber,
            device: target.device.port ?? target.device.name, image: image.map.name)
    }

    private static func progress(_ state: FlashExchange.State, _ fault: CardFault??, _ board: Board?) -> Progress {
        if let fault { return Progress(phase: fault == nil ? .done : .failed, done: 1, total: 1, board: board) }
        let phase: Progress.Phase =
            switch state.phase {
            case .waiting, .writing: .writing
            case .checking: .checking
            case .binding, .finishing: .finishing
            }
        return Progress(phase: phase, done: state.done, total: state.total, board: board)
    }
}
