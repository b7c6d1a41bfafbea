// SPDX-License-Identifier: Apache-2.0

import Cryptography

extension IssuerKey {
    /// The number of keys of ``day(_:)`` that differ.
    public static let dayCount = 15

    /// A key for each of fifteen days, and then the same again. Products of six published primes: anybody can sign with them. Throws the errors of the big
    /// numbers.
    public static func day(_ number: Int) throws -> IssuerKey {
        let index = number % dayCount
        let pairs = primes.indices.flatMap { first in (first + 1..<primes.count).map { (first, $0) } }
        let (first, second) = pairs[index]
        // Larger than any product.
        let bound = try BigNumber.read([1] + [UInt8](repeating: 0, count: 257))
        let p = try BigNumber.read(Hex.bytes(primes[first]) ?? [])
        let q = try BigNumber.read(Hex.bytes(primes[second]) ?? [])
        let modulus = try p.times(q, modulo: bound)
        let order = try p.adding(-1).times(q.adding(-1), modulo: bound)
        let exponent = try BigNumber.read([1, 0, 1]).inverse(modulo: order)
        return IssuerKey(modulus: try modulus.bytes(256), privateExponent: try exponent.bytes(256))
    }

    /// Probable primes of 1,024 bits, drawn with a seed.
    private static let primes = [
        "dad4420a64c848275b662dd55ddcac17e39ddacd502afc24d75f2bac84379b3aed46753a20ddd5f8b607324c004cf214"
            + "fafdc96627a801b1780236fdd616d7ee9919bd7fdc77cdd5e5177d44cad41970ef254e621dd3032378d5988d51af3eb4"
            + "9dcfa7a9d313e069d65afa56d74e6e40eaddec910b13d5a3a12fd59daca888eb",
        "e788fd0b3b305b479f3f655b03111ccdb1c9391b5c8bcd85980096aaadc125419b24621682dba1d9a246e93f38fa4bb9"
            + "6a925dfa50eeb36fad03856b6d2bd2e3c55a918ab1d54fb7f47c6ebc77e09c5dda2e28b4e956c4fa7e2b2113a4eb629c"
            + "31a04e28fc35113dd8db05d0ec23f4ce4aa24891aa88f6d9bb3109d9acf35f21",
        "dd426c8d56237294827fe8082c044632c088b09c99473eedb873634c2154ed00923e212954b37bc74af194545439459a"
            + "b862eba117bf87023a9305cd17c7e78b130ed0523e1e5a5da6f4ccff2366bec0ed8d08e7be185074f0d7418db0826602"
            + "2274badbbdb01360ce70a8debe90f155e04028559e76e69795f74b3c160a3b49",
        "c8ed119f94a01f4a333cb4fad2c173de9215a66e51e8b2930a2d3a38ececed9af9513438896b6e99f4b13f7eda7541f3"
            + "2be762eaf0561dc11374794ddf30463122698eae4a8b4145c3240fcae8877e9e6c4933820ecffd94026cbe782e8e0cfa"
            + "4e6351f15223d2fec8e24a4ef55c1e88dfa544fa270b145401bc359e0ab74399",
        "f9a97a93dd4d9397a2162bb5d89f9ddf23167d2735f7593620d8f9af3d219e915d1bd661041cc67bd34693e1d885be64"
            + "4cc59e7425fbf2089a0e1104d1f2b787f8c22c2dff2d6e223aa96650cf0a90216751bec683e5fe8283981d40fe5ddeee"
            + "04942005ed70bd246b813c953dbfbc46a0e5008f1ce702e8ffeab6bd8032a33f",
        "e17a9374c850b13412ec92e8f46b5ae7f426c2ebf94423c86b1e7871de428a02797d583ee83691a1075cf5d71f52eedc"
            + "59e4c59ad65857bdcc39eecee442cd97242b6a004f3d10fa4352b7ea6ab9f24d1acb7f97e1b858845990eb18b5dbcbe2"
            + "7d5c8fe334af99dba03efd3a83d9728e6fe7e3e0eaa61310961a22bdd767d9bf",
    ]
}
