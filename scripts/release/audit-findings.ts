interface Report {
  vulnerabilities?: Record<
    string,
    { name: string; severity: string; via: (string | { url?: string; title?: string })[] }
  >
}

const ADVISORY = /GHSA(?:-[a-z0-9]{4}){3}/

/** The advisories that SECURITY.md names under "Known findings". */
export const readAnswers = (security: string): Set<string> =>
  new Set(
    (security.split(/^## Known findings$/m)[1] ?? '')
      .split(/^## /m)[0]
      ?.split('\n')
      .flatMap((line) => (line.startsWith('- ') ? (ADVISORY.exec(line)?.[0] ?? []) : [])) ?? [],
  )

/** What npm audit has found and nobody has answered. Undefined when it gave no report, as when the registry has no such service. */
export function findUnanswered(output: string, answers: ReadonlySet<string>): string[] | undefined {
  let report: Report
  try {
    report = JSON.parse(output) as Report
  } catch {
    return undefined
  }
  if (report.vulnerabilities === undefined) return undefined
  const findings = Object.values(report.vulnerabilities).flatMap(({ name, severity, via }) =>
    // A text names another package of the list, which has the advisory itself.
    via.flatMap((each) => (typeof each === 'string' ? [] : [{ name, severity, ...each }])),
  )
  return findings
    .filter(({ url = '' }) => !answers.has(ADVISORY.exec(url)?.[0] ?? ''))
    .map(({ name, severity, title = '', url = '' }) => `${name} (${severity}): ${title} ${url}`)
}
