/** The colour of the product, when an installation has not chosen its own. */
export const DEFAULT_ACCENT = '#15675c'

/** WCAG 2.2 section 1.4.3: the contrast that text needs. */
const MIN_CONTRAST = 4.5
const WHITE: Rgb = [255, 255, 255]
const BLACK: Rgb = [0, 0, 0]
/** What dark pages are made of. */
const DARK_GROUND: Rgb = [33, 42, 41]

type Rgb = [number, number, number]

/** Ten shades of a colour, from nearly white to the darkest, as components use them. */
export type Shades = [string, string, string, string, string, string, string, string, string, string]

/**
 * Shades of the colour that an administrator chose. White text is readable on the shades 7 to 9, and the shades 2 to 4 are
 * readable on a dark page, whatever the colour is.
 */
export function accentShades(color: string): Shades {
  const chosen = parse(color)
  const strong = until(chosen, BLACK, (shade) => contrast(shade, WHITE) >= MIN_CONTRAST)
  const onDark = (share: number) =>
    format(until(mix(strong, WHITE, share), WHITE, (shade) => contrast(shade, DARK_GROUND) >= MIN_CONTRAST))
  const lighter = (share: number) => format(mix(strong, WHITE, share))
  const darker = (share: number) => format(mix(strong, BLACK, share))
  return [
    lighter(0.93), lighter(0.84), onDark(0.68), onDark(0.52), onDark(0.38),
    lighter(0.26), lighter(0.14), darker(0.04), format(strong), darker(0.25),
  ] // prettier-ignore
}

/** The colour itself, darkened until white text on it can be read. */
export const readableAccent = (color: string | null): string => accentShades(color ?? DEFAULT_ACCENT)[8]

const parse = (color: string): Rgb => [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16)) as Rgb

const format = (color: Rgb): string =>
  `#${color.map((part) => Math.round(part).toString(16).padStart(2, '0')).join('')}`

const mix = (from: Rgb, to: Rgb, share: number): Rgb =>
  from.map((part, index) => part + ((to[index] ?? 0) - part) * share) as Rgb

/** Moves a colour towards another in small steps, until it is good. */
function until(color: Rgb, towards: Rgb, isGood: (color: Rgb) => boolean): Rgb {
  for (let step = 0; step < 50; step += 1) {
    const shade = mix(color, towards, step / 50)
    // Rounded as it will be written, so that a contrast just above the limit stays above it.
    if (isGood(parse(format(shade)))) return shade
  }
  return towards
}

/** WCAG 2.2, "contrast ratio". */
function contrast(one: Rgb, other: Rgb): number {
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].toSorted((a, b) => b - a)
  return (light + 0.05) / (dark + 0.05)
}

function luminance(color: Rgb): number {
  const [red = 0, green = 0, blue = 0] = color.map((part) => {
    const share = part / 255
    return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

export const contrastOf = (one: string, other: string): number => contrast(parse(one), parse(other))
