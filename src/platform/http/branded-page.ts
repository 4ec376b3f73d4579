import type { Locale } from '../../vocabulary/locales.ts'
import { accentShades, DEFAULT_ACCENT } from '../colors/accent-shades.ts'
import { escapeHtml } from './escape-html.ts'

/** How an installation looks. */
export interface Appearance {
  name: string
  accentColor: string | null
  logoUrl: string | null
}

/** Pages that the server renders itself load nothing but the logo. */
export const BRANDED_PAGE_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const styles = (shades: readonly string[]): string => `:root{color-scheme:light dark}
body{font:1rem/1.5 system-ui,sans-serif;margin:0;min-height:100vh;background:#f5f7f6;color:#1e2525;overflow-wrap:anywhere}
header{display:flex;justify-content:center;align-items:center;gap:.6rem;padding:clamp(1.5rem,7vh,4rem) 1rem 1.5rem;font-weight:650;font-size:1.15rem}
main{box-sizing:border-box;max-width:34rem;margin:0 auto;padding:1.5rem 2rem;background:#fff;border:1px solid #e3e8e8;border-top:3px solid ${shades[8]};border-radius:12px}
h1{font-size:1.4rem;line-height:1.25;margin:.5rem 0 1rem}small{color:#586565}
@media(prefers-color-scheme:dark){body{background:#0f1514;color:#dbe3e2}main{background:#182020;border-color:#2a3533;border-top-color:${shades[4]}}small{color:#98a6a4}}
@media(max-width:30em){main{margin:0 1rem;padding:1rem 1.25rem}}`

/** A page in the appearance of the installation, for browsers that are not on a page of the dashboard. `content` is HTML. */
export function renderBrandedPage(
  appearance: Appearance,
  page: { locale: Locale; title: string; content: string },
): string {
  const { locale, title, content } = page
  const logo =
    appearance.logoUrl === null ? '' : `<img src="${escapeHtml(appearance.logoUrl)}" alt="" width="32" height="32">`
  return `<!doctype html>
<html lang="${locale}">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(`${title} · ${appearance.name}`)}</title>
<style>${styles(accentShades(appearance.accentColor ?? DEFAULT_ACCENT))}</style>
<header>${logo}<span>${escapeHtml(appearance.name)}</span></header>
<main>
<h1>${escapeHtml(title)}</h1>
${content}
</main>
</html>
`
}
