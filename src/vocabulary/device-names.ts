// Order matters: most browsers also claim to be Chrome or Safari.
const BROWSERS: [RegExp, string][] = [
  [/Edg(?:e|A|iOS)?\//, 'Edge'],
  [/OPR\/|Opera/, 'Opera'],
  [/SamsungBrowser\//, 'Samsung Internet'],
  [/Vivaldi\//, 'Vivaldi'],
  [/Firefox\/|FxiOS\//, 'Firefox'],
  [/HeadlessChrome\/|Chrome\/|CriOS\//, 'Chrome'],
  [/Safari\//, 'Safari'],
  [/curl\//, 'curl'],
]
const SYSTEMS: [RegExp, string][] = [
  [/iPhone|iPod/, 'iPhone'],
  [/iPad/, 'iPad'],
  [/Android/, 'Android'],
  [/CrOS/, 'ChromeOS'],
  [/Mac OS X|Macintosh/, 'macOS'],
  [/Windows/, 'Windows'],
  [/Linux/, 'Linux'],
]

const firstMatch = (rules: [RegExp, string][], text: string) => rules.find(([rule]) => rule.test(text))?.[1]

/**
 * A name that people recognise their device by, such as "Firefox, macOS"; undefined when neither is known. Nothing of the header itself
 * is in it: whoever signs in chooses the header, and the name is in mails.
 */
export function knownDeviceName(userAgent: string | null): string | undefined {
  const known = [firstMatch(BROWSERS, userAgent ?? ''), firstMatch(SYSTEMS, userAgent ?? '')].filter(Boolean)
  return known.length > 0 ? known.join(', ') : undefined
}
