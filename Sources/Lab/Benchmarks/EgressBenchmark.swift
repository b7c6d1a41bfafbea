// SPDX-License-Identifier: Apache-2.0

import Egress
import Glibc
import Logging
import ProcessLink

/// Measures the cost of a connection through egress against a direct one, both over the loopback: throughput, and the time
/// for a word and its echo. Client, egress and server share the machine, so with two processors the ratio of throughput
/// looks worse than on a board.
public enum EgressBenchmark {
    private static let rounds = 5
    private static let byteCount = 256 << 20
    private static let pings = 4_000
    private static let idleConnections = 500

    /// Measures in this process, and returns the figures; blocks. Rates are in MB/s (millions of bytes per second), times
    /// in microseconds. Throws when a socket or the egress of the trial cannot be created.
    public static func run() throws -> BenchmarkResult {
        let outside = try EgressBench.Server()
        let egress = try EgressBench(allowing: outside.port)
        defer { egress.stop() }
        var (direct, through) = ([Double](), [Double]())
        var (directPing, throughPing) = ([Double](), [Double]())
        for _ in 0..<rounds {
            direct.append(try rate(EgressBench.connect(outside.port)))
            through.append(try rate(egress.open(to: outside.port)))
            directPing += try times(EgressBench.connect(outside.port))
            throughPing += try times(egress.open(to: outside.port))
        }
        let opening = try (0..<500).map { _ in
            let began = EgressBench.microseconds()
            close(try egress.open(to: outside.port))
            return EgressBench.microseconds() - began
        }
        let idle = try (0..<idleConnections).map { _ in try egress.open(to: outside.port) }
        defer { for descriptor in idle { close(descriptor) } }
        let besideIdle = try times(egress.open(to: outside.port))
        let added = Statistics.median(throughPing) - Statistics.median(directPing)
        return BenchmarkResult(
            "egress",
            [
                Figure("throughput, direct", Statistics.median(direct), "MB/s"),
                Figure("throughput, through egress", Statistics.median(through), "MB/s"),
                Figure(
                    "throughput, through egress / direct", Statistics.median(through) / Statistics.median(direct), "ratio"),
                Figure("a word and its echo, direct, median", Statistics.median(directPing), "us"),
                Figure("a word and its echo, through egress, median", Statistics.median(throughPing), "us"),
                Figure("added to a word and its echo, median", added, "us"),
                Figure("a word and its echo, through egress, p99", Statistics.percentile(throughPing, 0.99), "us"),
                Figure("the same beside \(idleConnections) idle connections, median", Statistics.median(besideIdle), "us"),
                Figure("opening a connection through egress, median", Statistics.median(opening), "us"),
            ])
    }

    /// Megabytes a second, sent and taken.
    private static func rate(_ descriptor: Int32) throws -> Double {
        defer { close(descriptor) }
        let block = [UInt8](repeating: 0x55, count: 1 << 16)
        let began = EgressBench.microseconds()
        // The first byte says what is wanted: to be swallowed.
        try EgressBench.send(descriptor, [1])
        for _ in 0..<(byteCount / block.count) { try EgressBench.send(descriptor, block) }
        shutdown(descriptor, Int32(SHUT_WR))
        // The server closes once it has everything.
        _ = EgressBench.receive(descriptor, 1)
        return Double(byteCount) / (EgressBench.microseconds() - began)
    }

    /// Microseconds of each word of 64 bytes there and back.
    private static func times(_ descriptor: Int32) throws -> [Double] {
        defer { close(descriptor) }
        let word = [UInt8](repeating: 0x55, count: 64)
        try EgressBench.send(descriptor, [2])
        return try (0..<pings).map { _ in
            let began = EgressBench.microseconds()
            try EgressBench.send(descriptor, word)
            guard EgressBench.receive(descriptor, word.count) == word.count else { throw EgressBench.Failure(error: errno) }
            return EgressBench.microseconds() - began
        }
    }
}
