import { readFileSync } from 'node:fs'

/**
 * What CHANGELOG.md says about a version. A build without a tag has what is not released yet, and where there is nothing, what the version
 * has; a tag must be that of package.json and have its section.
 */
export function writeNotes(version: string, tag: string | undefined): string {
  const changelog = readFileSync('CHANGELOG.md', 'utf8')
  if (tag === undefined) {
    const heading = /^## Unreleased$/m.test(changelog) ? 'Unreleased' : version
    return `# Latchkey, not released\n\n${sectionOf(changelog, heading)}\n`
  }
  if (tag !== `v${version}`) throw new Error(`The tag is ${tag}, but package.json has the version ${version}.`)
  return `# Latchkey ${version}\n\n${sectionOf(changelog, version)}\n`
}

export function sectionOf(changelog: string, heading: string): string {
  const sections = changelog.split(/^## /m)
  const section = sections.find((each) => (each.split('\n')[0] ?? '').split(' ')[0] === heading)
  if (section === undefined) throw new Error(`CHANGELOG.md has no section ${heading}.`)
  return section.slice(section.indexOf('\n') + 1).trim()
}
