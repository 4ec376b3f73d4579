import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { findUnanswered, readAnswers } from '../../scripts/release/audit-findings.ts'
import { sectionOf, writeNotes } from '../../scripts/release/notes.ts'
import { packTarGz, unpackTar } from '../../scripts/release/tar.ts'
import { VERSION } from '../../src/platform/config/version.ts'
import { ROOT } from '../deploy/repository.ts'

test('an archive is the same bytes for the same entries in any order, and tar reads it', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-tar-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const long = `${'folder/'.repeat(20)}file`
  const entries = [
    { path: 'a/program', content: Buffer.from('#!/bin/sh\n'), mode: 0o755 },
    { path: long, content: Buffer.alloc(1000, 'x') },
    { path: 'a/link', link: 'program' },
  ]
  const archive = packTarGz(entries, 1_700_000_000)
  assert.deepEqual(packTarGz(entries.toReversed(), 1_700_000_000), archive)
  writeFileSync(join(folder, 'archive.tar.gz'), archive)
  const listed = execFileSync('tar', ['--utc', '--full-time', '-tvzf', join(folder, 'archive.tar.gz')], {
    encoding: 'utf8',
  })
  assert.match(listed, /^-rwxr-xr-x root\/root +10 2023-11-14 22:13:20 a\/program$/m)
  assert.match(listed, /a\/link -> program$/m)
  execFileSync('tar', ['-xzf', join(folder, 'archive.tar.gz'), '-C', folder])
  assert.equal(readFileSync(join(folder, long), 'utf8').length, 1000)
  assert.deepEqual(
    unpackTar(archive)
      .map(({ path }) => path)
      .toSorted(),
    ['a/program', long],
  )
})

test('release notes are the section of the changelog, and a tag must be that of package.json', () => {
  const changelog = '# Changelog\n\n## Unreleased\n\n- new\n\n## 1.2.3 - 2026-01-01\n\n- old\n'
  assert.equal(sectionOf(changelog, 'Unreleased'), '- new')
  assert.equal(sectionOf(changelog, '1.2.3'), '- old')
  assert.throws(() => sectionOf(changelog, '9.9.9'), /no section 9\.9\.9/)
  assert.match(writeNotes(VERSION, undefined), /^# Latchkey, not released\n\n.+/)
  assert.throws(() => writeNotes(VERSION, 'v99.0.0'), /The tag is v99\.0\.0, but package\.json has the version/)
})

test('a finding of npm audit needs an answer in SECURITY.md, and a missing report is no good news', () => {
  const security =
    '# Security\n\n## Known findings\n\n- GHSA-aaaa-bbbb-cccc: only with Windows.\n\nGHSA-not1-nota-line\n\n## Other\n'
  const answers = readAnswers(security)
  assert.deepEqual([...answers], ['GHSA-aaaa-bbbb-cccc'])
  const advisory = (id: string) => ({ title: 'Bad', url: `https://github.com/advisories/${id}` })
  const report = (...ids: string[]) =>
    JSON.stringify({
      vulnerabilities: {
        one: { name: 'one', severity: 'high', via: ids.map(advisory) },
        two: { name: 'two', severity: 'high', via: ['one'] },
      },
    })
  assert.deepEqual(findUnanswered(report('GHSA-aaaa-bbbb-cccc'), answers), [])
  assert.deepEqual(findUnanswered(report('GHSA-aaaa-bbbb-cccc', 'GHSA-dddd-eeee-ffff'), answers), [
    'one (high): Bad https://github.com/advisories/GHSA-dddd-eeee-ffff',
  ])
  assert.equal(findUnanswered('{"error":{}}', answers), undefined)
  assert.equal(findUnanswered('not found', answers), undefined)
  assert.ok(readAnswers(readFileSync(join(ROOT, 'SECURITY.md'), 'utf8')).size === 0)
})

test('npm run audit fails on a finding without an answer, and when there is no report', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-audit-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const runWith = (report: string) => {
    writeFileSync(join(folder, 'npm'), `#!/bin/sh\necho '${report}'\n`, { mode: 0o755 })
    const env = { PATH: `${folder}:/usr/bin:/bin` }
    const { status, stderr } = spawnSync(process.execPath, ['scripts/check-audit.ts'], {
      cwd: ROOT,
      env,
      encoding: 'utf8',
    })
    return [status, stderr]
  }
  const via = [{ title: 'Bad', url: 'https://github.com/advisories/GHSA-dddd-eeee-ffff' }]
  assert.deepEqual(runWith(JSON.stringify({ vulnerabilities: { one: { name: 'one', severity: 'low', via } } })), [
    1,
    'SECURITY.md answers none of these:\n  one (low): Bad https://github.com/advisories/GHSA-dddd-eeee-ffff\n',
  ])
  assert.deepEqual(runWith('{"vulnerabilities":{}}'), [0, ''])
  assert.deepEqual(runWith('{"error":{}}'), [1, 'npm audit gave no report, so nothing is known:\n{"error":{}}\n\n'])
})
