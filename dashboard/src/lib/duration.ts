const UNITS = [
  { unit: 'second', ms: 1000, below: 90_000 },
  { unit: 'minute', ms: 60_000, below: 90 * 60_000 },
  { unit: 'hour', ms: 3_600_000, below: 48 * 3_600_000 },
  { unit: 'day', ms: 86_400_000, below: Number.POSITIVE_INFINITY },
] as const

/** How long something took, in words: "0.4 seconds", "3 minutes". Short times with two digits. */
export function formatDuration(locale: string, ms: number): string {
  const { unit, ms: size } = UNITS.find(({ below }) => ms < below) ?? UNITS[0]
  const count = ms / size
  const maximumFractionDigits = count < 1 ? 2 : count < 10 ? 1 : 0
  return new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long', maximumFractionDigits }).format(
    count,
  )
}
