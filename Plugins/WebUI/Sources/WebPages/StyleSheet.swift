// SPDX-License-Identifier: Apache-2.0

/// The files that pages load; they load no others.
public enum Assets {
    /// The style sheet of all pages, served at `/style.css`. `Content-Type: text/css; charset=utf-8`.
    ///
    /// Type is set on a scale of 1.2 from 1.0625 rem, space on multiples of 0.25 rem, everything to touch is 2.75 rem (44 px) high.
    public static let styleSheet =
        ":root{color-scheme:light dark;" + Palette.light.css + "}\n"
        + "@media (prefers-color-scheme:dark){:root{" + Palette.dark.css + "}}\n" + rules

    private static let rules = #"""
        :root{
          --s1:.25rem;--s2:.5rem;--s3:.75rem;--s4:1rem;--s5:1.5rem;--s6:2rem;--s7:3rem;
          --t0:.9375rem;--t1:1.0625rem;--t2:1.275rem;--t3:1.53rem;--t4:1.836rem;--t5:2.2rem;
          --text:system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans","Liberation Sans",sans-serif;
          --head:"Iowan Old Style","Palatino Linotype",Palatino,"URW Palladio L","Noto Serif",Georgia,serif;
          --round:1rem;
        }
        *,*::before,*::after{box-sizing:border-box}
        html{-webkit-text-size-adjust:100%;text-size-adjust:100%;scroll-padding-top:var(--s4)}
        body{margin:0;background:var(--ground);color:var(--ink);font:400 var(--t1)/1.6 var(--text);
          display:grid;grid-template-columns:minmax(0,1fr);min-height:100vh;grid-template-rows:auto auto 1fr auto;overflow-wrap:break-word}
        h1,h2,h3{font-family:var(--head);font-weight:600;line-height:1.25;margin:0 0 var(--s3);text-wrap:balance;hyphens:auto}
        h1{font-size:var(--t4)}h2{font-size:var(--t2)}h3{font-size:var(--t1)}
        p,ul,ol,dl,figure{margin:0 0 var(--s4)}
        ul,ol{padding-inline-start:1.4em}li{margin-block:var(--s1)}li::marker{color:var(--soft)}
        :is(.card,.note,.state,article,details,main)>:last-child,.card>div>:last-child,.note>div>:last-child,.state>div>:last-child{margin-bottom:0}
        a{color:var(--link);text-underline-offset:.18em;text-decoration-thickness:.08em}
        a:hover{text-decoration-thickness:.16em}
        :focus-visible{outline:3px solid var(--focus);outline-offset:3px;border-radius:.35rem}
        main:focus{outline:none}
        code,pre,kbd{font-family:ui-monospace,"DejaVu Sans Mono","Liberation Mono",monospace;font-size:.88em;overflow-wrap:anywhere}td code{display:inline-block;min-width:7rem}
        .icon{width:1.5em;height:1.5em;flex:none;fill:none;stroke:currentColor;stroke-width:2;stroke-linecap:round;stroke-linejoin:round;vertical-align:-.4em}
        .unseen:not(:focus){position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
        .small{font-size:var(--t0);color:var(--soft)}
        .lead{font-size:var(--t2);line-height:1.5;color:var(--soft);max-width:38rem}
        .skip{position:absolute;inset-inline-start:var(--s4);top:-10rem;background:var(--accent);color:var(--on-accent);padding:var(--s3) var(--s4);border-radius:var(--round);z-index:2}
        .skip:focus{top:var(--s3)}

        .top,.main-nav,.tech-nav,main,body>footer{width:100%;max-width:46rem;margin-inline:auto;padding-inline:var(--s4)}
        .top{display:flex;flex-wrap:wrap;align-items:center;justify-content:space-between;gap:var(--s2) var(--s4);padding-block:var(--s3)}
        .brand{display:inline-flex;align-items:center;gap:var(--s3);min-height:2.75rem;color:var(--ink);text-decoration:none;font:600 var(--t2)/1.2 var(--head)}
        .mark{width:2.25rem;height:2.25rem}.mark-ring{fill:none;stroke:var(--accent);stroke-width:1.5}.mark-one{fill:var(--accent)}.mark-two{fill:var(--heed-edge)}
        .quiet{display:inline-flex;align-items:center;gap:var(--s2);min-height:2.75rem;padding-inline:var(--s3);background:none;border:0;border-radius:var(--round);color:var(--link);font:inherit;cursor:pointer;text-decoration:underline;text-underline-offset:.18em}
        .inline{display:inline}

        nav ul{list-style:none;margin:0;padding:0}nav li{margin:0}
        .main-nav ul{display:flex;flex-wrap:wrap;gap:var(--s1);background:var(--sunk);border-radius:var(--round);padding:var(--s1)}
        .main-nav a{display:flex;flex-direction:column;align-items:center;justify-content:center;gap:.1rem;min-height:3.5rem;padding:var(--s2) var(--s1);border-radius:.8rem;color:var(--soft);text-decoration:none;font-size:.875rem;line-height:1.2;text-align:center}
        .main-nav li{flex:1 1 auto}
        .main-nav a:hover{color:var(--ink);text-decoration:underline}
        .main-nav a[aria-current]{background:var(--card);color:var(--accent);font-weight:650;box-shadow:inset 0 -3px 0 var(--accent)}
        .main-nav span{max-width:100%}
        .tech-nav ul{display:flex;flex-wrap:wrap;gap:var(--s1)}
        .tech-nav a{display:inline-flex;align-items:center;min-height:2.75rem;padding-inline:var(--s3);border-radius:.8rem;color:var(--soft);text-decoration:none}
        .tech-nav a:hover{text-decoration:underline;color:var(--ink)}
        .tech-nav a[aria-current]{background:var(--card);color:var(--accent);font-weight:650;box-shadow:inset 0 -3px 0 var(--accent)}

        main{padding-block:var(--s5) var(--s7)}
        main>*{margin-bottom:var(--s5)}
        main>h1,main>.back,main>.lead{margin-bottom:var(--s3)}main>.lead{margin-bottom:var(--s5)}
        .back a{display:inline-flex;align-items:center;min-height:2.75rem}
        .back a::before{content:"←";margin-inline-end:.5em}
        .card,.plain>article,.plain>.note{background:var(--card);border:1px solid var(--edge);border-radius:var(--round);padding:var(--s5)}
        .plain>article,.plain>details,.plain>.note{margin-bottom:var(--s4)}
        .card.slim{padding:var(--s4) var(--s5)}
        .pair{display:grid;gap:var(--s4)}
        .warm-edge{border-inline-start:.4rem solid var(--warm-edge)!important}.heed-edge{border-inline-start:.4rem solid var(--heed-edge)!important}.still-edge{border-inline-start:.4rem solid var(--still-edge)!important}

        .state{display:grid;gap:var(--s4);padding:var(--s5);border-radius:1.5rem;border:2px solid;margin-bottom:var(--s5)}
        [data-live]>.state:last-child{margin-bottom:0}
        .state .sign{display:grid;place-items:center;width:5rem;height:5rem;border-radius:50%;border:3px solid currentColor}
        .state .sign .icon{width:3rem;height:3rem;stroke-width:2.2}
        .state.warm .sign{border-radius:1rem;transform:rotate(45deg);width:4.2rem;height:4.2rem;margin:.5rem}.state.warm .sign .icon{transform:rotate(-45deg)}
        .state.heed .sign{border-radius:1.2rem}.state.still .sign{border-style:dashed}
        .state .word{font-size:var(--t5);margin-bottom:var(--s2)}
        .state .sentence{font-size:var(--t2);line-height:1.5}
        .calm{background:var(--calm);color:var(--calm-ink);border-color:var(--calm-edge)}
        .warm{background:var(--warm);color:var(--warm-ink);border-color:var(--warm-edge)}
        .heed{background:var(--heed);color:var(--heed-ink);border-color:var(--heed-edge)}
        .still{background:var(--still);color:var(--still-ink);border-color:var(--still-edge)}
        .badge{display:inline-flex;align-items:center;gap:.4em;padding:.15em .7em .15em .5em;border:1px solid;border-radius:1rem;font-size:var(--t0);line-height:1.5;font-weight:600}
        .badge .icon{width:1.15em;height:1.15em;stroke-width:2.6}
        .note,.notice{display:flex;gap:var(--s3);padding:var(--s4);border-radius:var(--round);border:1px solid;margin-bottom:var(--s4)}
        .note a,.note code,.state a{color:inherit}
        .notice.good{background:var(--calm);color:var(--calm-ink);border-color:var(--calm-edge)}
        .notice.fault{background:var(--warm);color:var(--warm-ink);border-color:var(--warm-edge)}
        .notice p{margin:0}
        .original{font-size:var(--t0);border-inline-start:3px solid var(--edge);padding-inline-start:var(--s3);white-space:pre-line}

        .actions{display:flex;flex-wrap:wrap;align-items:center;gap:var(--s3)}
        .button{display:inline-flex;align-items:center;justify-content:center;gap:var(--s2);min-height:2.75rem;padding:var(--s2) var(--s5);border:2px solid var(--accent);border-radius:1.5rem;background:var(--accent);color:var(--on-accent);font:600 var(--t1)/1.3 var(--text);text-decoration:none;cursor:pointer;text-align:center}
        .button:hover{text-decoration:underline;box-shadow:0 0 0 3px var(--edge)}
        .button.plain,.note .button{background:transparent;color:var(--accent)}
        .note .button{color:inherit;border-color:currentColor}
        .button.small{padding-inline:var(--s4);font-size:var(--t0)}
        .button.danger{background:var(--warm-ink);border-color:var(--warm-ink);color:var(--warm)}
        .card.danger{border-color:var(--warm-edge)}
        .onward a{display:inline-flex;align-items:center;gap:var(--s2);min-height:2.75rem}
        .shortcuts,.rows,.marks,.legend,.bare,.ticks,.crosses,.story{list-style:none;padding:0}
        .shortcuts{display:grid;gap:var(--s2);margin:0}
        .shortcuts a{display:flex;align-items:center;gap:var(--s3);min-height:3rem;padding:var(--s2) var(--s4);background:var(--sunk);border-radius:.8rem;color:var(--ink);text-decoration:none;font-weight:550}
        .shortcuts a:hover{text-decoration:underline}.shortcuts .icon{color:var(--accent)}
        .shortcuts a[aria-current]{box-shadow:inset 0 0 0 2px var(--accent)}
        .rows>li{display:flex;flex-wrap:wrap;justify-content:space-between;gap:var(--s2) var(--s4);padding-block:var(--s3);border-block-end:1px solid var(--edge)}
        .rows a{display:flex;flex-wrap:wrap;align-items:center;gap:0 var(--s3);min-height:2.75rem;min-width:0}.rows a>*{min-width:0;overflow-wrap:anywhere}
        .marks,.legend{display:flex;flex-wrap:wrap;gap:var(--s2)}
        .ticks li,.crosses li{position:relative;padding-inline-start:1.9em;margin-block:var(--s2)}
        .ticks li::before,.crosses li::before{content:"✓";content:"✓"/"";position:absolute;inset-inline-start:.2em;font-weight:700;color:var(--calm-edge)}
        .crosses li::before{content:"–";content:"–"/"";color:var(--still-edge)}
        .story{counter-reset:story}
        .story li{counter-increment:story;position:relative;padding-inline-start:3rem;margin-block:var(--s4);min-height:2.2rem}
        .story li::before{content:counter(story);position:absolute;inset-inline-start:0;top:-.1rem;width:2.1rem;height:2.1rem;border-radius:50%;background:var(--calm);color:var(--calm-ink);display:grid;place-items:center;font:600 var(--t1)/1 var(--head)}
        .steps{color:var(--soft);font-weight:600}
        .facts{margin:0 0 var(--s4)}
        .facts>div{display:flex;flex-wrap:wrap;justify-content:space-between;gap:0 var(--s4);padding-block:var(--s2);border-block-end:1px solid var(--edge)}
        .facts>div:last-child{border:0}
        .facts dt{color:var(--soft)}.facts dd{margin:0;min-width:0;overflow-wrap:anywhere;font-weight:600;font-variant-numeric:tabular-nums}
        .prose{max-width:38rem}.lines p{margin:0}

        .table{overflow-x:auto;border-radius:.5rem}
        table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums;font-size:var(--t0)}
        caption{text-align:start;font-weight:600;padding-block:var(--s2)}
        th,td{text-align:start;vertical-align:top;padding:var(--s3) var(--s3) var(--s3) 0;border-block-end:1px solid var(--edge)}
        thead th{color:var(--soft);font-weight:600}tbody th{font-weight:500}
        td a,th a{display:inline-flex;min-height:2.75rem;align-items:center;margin-block:calc(-1*var(--s2))}
        .chart svg{display:block;width:100%;height:auto;max-height:22rem;overflow:visible}
        .chart .axis{stroke:var(--firm-edge);stroke-width:1}.chart .limit{stroke:var(--warm-edge);stroke-width:1.5;stroke-dasharray:5 4}
        .chart .bar{fill:var(--calm-edge)}.chart .bar.warm{fill:var(--warm-edge)}.chart .bar.accent{fill:var(--accent)}.chart .mark-warm{fill:var(--warm-edge)}
        .chart .tick{fill:var(--soft);font:600 11px/1 var(--text)}

        form{margin:0 0 var(--s4)}form.inline{margin:0}
        .field{margin:0 0 var(--s5);padding:0;border:0;min-width:0}
        label,legend{font-weight:600;padding:0}.hint{margin:var(--s1) 0 var(--s2);color:var(--soft);font-size:var(--t0)}
        .error{display:flex;gap:var(--s2);margin:var(--s1) 0 var(--s2);color:var(--warm-ink);font-weight:600}
        input:not([type=checkbox],[type=radio],[type=hidden]),select,textarea{display:block;width:100%;max-width:28rem;min-height:3rem;margin-top:var(--s1);padding:var(--s2) var(--s3);border:2px solid var(--firm-edge);border-radius:.8rem;background:var(--ground);color:var(--ink);font:inherit}
        input[type=number],input[type=date],input[type=time]{max-width:12rem}
        [aria-invalid]{border-color:var(--warm-edge)!important}
        .check{display:flex;gap:var(--s3);align-items:flex-start}
        .reveal{display:flex;gap:var(--s3);align-items:center;font-weight:500;min-height:2.75rem}.reveal input{margin:0}
        .check label{font-weight:500;display:flex;align-items:center;min-height:2.75rem}
        input[type=checkbox],input[type=radio]{flex:none;width:1.75rem;height:1.75rem;margin:.5rem 0 0;accent-color:var(--accent)}
        fieldset.row{border:1px solid var(--edge);border-radius:.8rem;padding:var(--s3) var(--s4);margin-bottom:var(--s3)}
        summary{cursor:pointer;min-height:2.75rem;padding-block:var(--s2);font-weight:600}
        details.card{padding-block:var(--s3)}details[open]>summary{margin-bottom:var(--s3)}
        .secret{display:inline-block;padding:var(--s3) var(--s4);background:var(--sunk);border-radius:.8rem;font-size:var(--t2);letter-spacing:.06em;user-select:all}
        .filter{display:grid;gap:0 var(--s4)}

        .card>article{margin-bottom:var(--s3)}
        .qr{display:block;width:100%;height:auto;max-width:20rem}.qr .paper{fill:#fff}.qr .ink{fill:none;stroke:#000;stroke-width:1;shape-rendering:crispEdges}
        .print{display:grid;gap:var(--s4) var(--s5);margin-bottom:var(--s4)}
        .screen{display:block;min-height:0;overflow:hidden}
        .screen main{display:grid;width:auto;max-width:none;height:100vh;height:100dvh;padding:3vmin;gap:3vmin;grid-template:minmax(0,1.2fr) minmax(0,1fr)/minmax(0,1fr)}
        .screen main>*{margin:0}.screen .qr{max-width:none;height:100%}
        .screen .words{min-height:0;overflow:hidden;font-size:max(.75rem,3vmin);line-height:1.3}
        .screen h1{font-size:7vmin;margin:0 0 1vmin}.screen .words :is(p,ol,li){margin-block:0 1vmin}
        .screen .name{font:600 5vmin/1.2 var(--head);display:-webkit-box;-webkit-box-orient:vertical;-webkit-line-clamp:2;overflow:hidden;overflow-wrap:anywhere}
        @media (orientation:landscape){.screen main{grid-template:minmax(0,1fr)/minmax(0,1fr) minmax(0,1fr);align-items:center}.screen .words{max-height:100%}}
        @media (min-aspect-ratio:7/10) and (orientation:portrait){.screen main{grid-template-rows:minmax(0,1fr) minmax(0,1fr)}.screen .words{font-size:max(.75rem,2.6vmin)}}
        @media (min-aspect-ratio:3/2){.screen .words{font-size:3.4vmin}.screen h1{font-size:8vmin}.screen .name{font-size:6vmin}}

        body>footer{padding-block:var(--s5) var(--s6);border-block-start:1px solid var(--edge);color:var(--soft)}
        body>footer ul{display:flex;flex-wrap:wrap;gap:0 var(--s5)}
        body>footer a{display:inline-flex;align-items:center;min-height:2.75rem;font-size:var(--t0)}
        .languages a[aria-current]{font-weight:700;text-decoration:none;color:var(--ink)}

        @media (min-width:40rem){
          :root{--t4:2.2rem;--t5:2.6rem}
          .state{grid-template-columns:auto 1fr;align-items:center;gap:var(--s6);padding:var(--s6)}
          .print{grid-template-columns:minmax(12rem,1fr) 1.4fr;align-items:start}
          .pair{grid-template-columns:1fr 1fr}.shortcuts{grid-template-columns:1fr 1fr}
          .main-nav a{flex-direction:row;gap:var(--s2);min-height:3rem;font-size:1rem}
          .main-nav .icon{width:1.3em;height:1.3em}
          .filter{grid-template-columns:1fr 1fr auto;align-items:end}
          .tiles{display:grid;grid-template-columns:1fr 1fr;column-gap:var(--s6)}
        }
        @media (min-width:64rem){
          .tech{grid-template-columns:15rem minmax(0,1fr);grid-template-rows:auto 1fr auto;max-width:84rem;margin-inline:auto}
          .tech .top,.tech footer{grid-column:1/-1;max-width:none}
          .tech .tech-nav ul{flex-direction:column;position:sticky;top:var(--s4)}.tech .tech-nav a{width:100%}
          .tech main{max-width:none;padding-block-start:var(--s2)}
        }
        @media (max-width:39.99rem){
          .table:not(.stack) tbody th{white-space:nowrap}
          .stack :is(table,tbody,tr,th,td,caption){display:block}
          .stack thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
          .stack tbody tr{padding-block:var(--s2);border-block-end:1px solid var(--edge)}
          .stack tbody tr:last-child{border:0}
          .stack tbody :is(th,td){border:0;padding:var(--s1) 0;overflow-wrap:anywhere}
          .stack tbody th{font-weight:650}.stack td>div>:last-child{margin-bottom:0}
          .stack td{display:grid;grid-template-columns:minmax(0,2fr) minmax(0,3fr);gap:0 var(--s3)}
          .stack td::before{content:attr(data-column);content:attr(data-column)/"";color:var(--soft);hyphens:auto}
        }
        @media (max-width:23rem){.main-nav a{font-size:.8125rem;padding-inline:.15rem}.card,.state{padding:var(--s4)}}
        @media (prefers-reduced-motion:no-preference){.button,.shortcuts a{transition:box-shadow .15s}}
        @media (prefers-contrast:more){:root{--edge:var(--ink);--firm-edge:var(--ink);--soft:var(--ink)}.card,.note,.state,.badge{border-width:2px}}
        @media (forced-colors:active){.badge,.note,.state,.button{border:2px solid}.chart .bar{fill:CanvasText}}
        @media print{
          .top .quiet,.top form,nav,.skip,.actions,form,.onward{display:none!important}
          body{background:#fff;color:#000;font-size:11pt;display:block}.card,.state,.note{border:1px solid #000;background:#fff;color:#000;break-inside:avoid}
          details>*{display:block!important}a{color:#000}
        }

        """#
}
