// SPDX-License-Identifier: Apache-2.0

/// Virtual time inside this target, in microseconds since the air began: whole numbers, since HCI counts in 625 µs.
typealias Microseconds = Int64

extension Duration {
    /// Rounded down; durations beyond 292,000 years are held at the end of the range.
    var microseconds: Microseconds {
        let (seconds, attoseconds) = components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000)
        guard !overflow else { return seconds < 0 ? .min / 2 : .max / 2 }
        return product &+ attoseconds / 1_000_000_000_000
    }
}

/// What happens at some moment. Numbers instead of references: there are millions of these in a simulated day.
enum AirEvent {
    /// The sender in `slot` transmits, if its generation is still this one.
    case transmit(slot: Int, generation: UInt64)
    /// The sender in `slot` was beyond everybody's reach until now, if it still sleeps for that reason.
    case stir(slot: Int, sleep: UInt64)
    /// The advertising set in `slot` has reached its duration or its number of events.
    case setEnds(slot: Int, generation: UInt64, isLimit: Bool)
    /// A phone or rotating advertiser changes its address; only with observers.
    case rotate(node: NodeID)
    /// Delayed answers of a controller are due.
    case answers(node: NodeID)
    /// The duration (or, in a periodic scan, the pause) of an extended scan is over.
    case scanTurns(node: NodeID, generation: UInt64)
    case faultEnds(node: NodeID, generation: UInt64)
    case flood(node: NodeID, generation: UInt64)
    case action(Int)
}

/// A binary heap; events of the same moment come out in the order in which they went in.
struct EventQueue {
    private struct Entry {
        let time: Microseconds
        let serial: UInt64
        let event: AirEvent

        func precedes(_ other: Entry) -> Bool { time != other.time ? time < other.time : serial < other.serial }
    }

    private var heap: [Entry] = []
    private var serial: UInt64 = 0

    var count: Int { heap.count }
    var nextTime: Microseconds? { heap.first?.time }
    var first: AirEvent? { heap.first?.event }

    mutating func push(_ event: AirEvent, at time: Microseconds) {
        serial += 1
        heap.append(Entry(time: time, serial: serial, event: event))
        rise(heap.count - 1)
    }

    mutating func pop() -> (time: Microseconds, event: AirEvent)? {
        guard let first = heap.first, let last = heap.popLast() else { return nil }
        if !heap.isEmpty {
            heap[0] = last
            sink(0)
        }
        return (first.time, first.event)
    }

    /// Forgets what will have no effect.
    mutating func keep(where isLive: (AirEvent) -> Bool) {
        heap.removeAll { !isLive($0.event) }
        heap.sort { $0.precedes($1) }
    }

    private mutating func rise(_ start: Int) {
        var index = start
        while index > 0 {
            let parent = (index - 1) / 2
            guard heap[index].precedes(heap[parent]) else { return }
            heap.swapAt(index, parent)
            index = parent
        }
    }

    private mutating func sink(_ start: Int) {
        var index = start
        while true {
            var least = index
            let left = 2 * index + 1
            if left < heap.count, heap[left].precedes(heap[least]) { least = left }
            if left + 1 < heap.count, heap[left + 1].precedes(heap[least]) { least = left + 1 }
            guard least != index else { return }
            heap.swapAt(index, least)
            index = least
        }
    }
}
