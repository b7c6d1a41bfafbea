// SPDX-License-Identifier: Apache-2.0

/// How the pages look. Colours have a contrast of 7:1 and more (WCAG 2.2, 1.4.6) in both schemes.
enum PortalStyle {
    static let text = """
        :root { color-scheme: light dark; --back: #fff; --text: #15202b; --soft: #f0f4f8; --line: #5b6b7b; --main: #00407a;
          --on-main: #fff; --fault: #8c0014; --focus: #c04a00 }
        @media (prefers-color-scheme: dark) { :root { --back: #10161d; --text: #eef3f8; --soft: #1d2731; --line: #94a5b5;
          --main: #9fd0ff; --on-main: #0a1a2a; --fault: #ffb3b8; --focus: #ffc14d } }
        * { box-sizing: border-box }
        body { margin: 0; background: var(--back); color: var(--text); font: 1.125rem/1.5 system-ui, sans-serif }
        header { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; align-items: center; padding: .5rem 1.25rem;
          border-bottom: 1px solid var(--line) }
        header form { display: flex; gap: .75rem; align-items: center; margin: 0 }
        .product { margin: 0 auto 0 0; font-weight: 700 }
        .user { overflow-wrap: anywhere }
        main { max-width: 40rem; margin: 0 auto; padding: 1.5rem 1.25rem 4rem; outline: 0 }
        h1 { font-size: 1.75rem; line-height: 1.2; margin: .5rem 0 1rem }
        h2 { font-size: 1.25rem; margin: 2.5rem 0 .75rem; padding-top: 1.5rem; border-top: 1px solid var(--line) }
        a { color: var(--main); padding: .6rem .2rem; display: inline-block }
        label { display: block; font-weight: 600; margin: 1rem 0 .25rem }
        input { width: 100%; font: inherit; padding: .75rem; color: inherit; background: var(--back);
          border: 2px solid var(--line); border-radius: .4rem }
        button { font: inherit; padding: .5rem 1rem; min-height: 2.75rem; border: 2px solid var(--line); border-radius: .4rem;
          background: var(--soft); color: var(--text); cursor: pointer }
        .main { display: block; width: 100%; margin-top: 1.5rem; padding: 1rem; font-size: 1.25rem; font-weight: 700;
          background: var(--main); color: var(--on-main); border-color: var(--main) }
        .second { background: var(--back); color: var(--main) }
        :focus-visible { outline: 4px solid var(--focus); outline-offset: 3px }
        .skip { position: absolute; left: -99rem } .skip:focus { position: static }
        .notice, .fault { padding: .75rem 1rem; border: 2px solid var(--line); border-left-width: .5rem; border-radius: .4rem;
          background: var(--soft) }
        .fault { border-color: var(--fault); color: var(--fault); font-weight: 600 }
        .teletan { display: flex; flex-wrap: wrap; gap: 0 .5em; margin: 0 0 1rem; padding: 1rem; background: var(--soft);
          border: 2px solid var(--main); border-radius: .4rem; font: 700 clamp(2rem, 9vw, 3.25rem)/1.3 ui-monospace, monospace;
          letter-spacing: .08em }
        .result { outline: 0 }
        .teletan span { white-space: nowrap }
        .spelling { padding: 0; font-size: 1.25rem; list-style: none } .spelling li { display: flex; padding: .15rem 0 }
        .spelling b { flex: 0 0 4.25em; font-family: ui-monospace, monospace; letter-spacing: .08em }
        @media (max-width: 30rem) {
          header { font-size: 1rem; padding: .25rem 1.25rem }
          .teletan { display: block; font-size: 3rem } .teletan span { display: block }
        }
        @media (forced-colors: active) { .main { border: 2px solid ButtonText } }

        """
}
