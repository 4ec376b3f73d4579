import type { Appearance } from '../api/shapes.ts'

/** How long a page waits to know how the installation looks, before it shows the product's own look. */
const MAX_WAIT_MS = 1500

let current: Appearance = { name: 'Latchkey', accentColor: null, logoUrl: null, registration: 'open', isSetUp: true }

/** Loaded once, before the page is drawn: a logo that comes later would move everything. */
export async function loadAppearance(): Promise<void> {
  try {
    const response = await fetch('/api/settings/appearance', { signal: AbortSignal.timeout(MAX_WAIT_MS) })
    if (response.ok) current = ((await response.json()) as { appearance: Appearance }).appearance
  } catch {
    // The page works without it.
  }
}

export const appearance = (): Appearance => current
