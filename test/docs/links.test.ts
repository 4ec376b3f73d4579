import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, test } from 'node:test'

const ROOT = join(import.meta.dirname, '../..')
const FILES = globSync(['*.md', 'docs/**/*.md', 'bench/*.md', 'deploy/**/*.md', '.github/**/*.md'], { cwd: ROOT })

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')
/** Removes code, in which brackets are not links. */
const prose = (text: string) => text.replaceAll(/^```[\s\S]*?^```/gm, '').replaceAll(/`[^`\n]*`/g, '')

/** The anchor of a heading, as GitHub generates it. */
const anchorOf = (heading: string) =>
  heading
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-')

const anchorsIn = (path: string) => {
  const headings = read(path)
    .replaceAll(/^```[\s\S]*?^```/gm, '')
    .matchAll(/^#+ (.+)$/gm)
  return new Set(headings.map(([, heading = '']) => anchorOf(heading)))
}

describe('the documents', () => {
  test('are found', () => {
    for (const path of ['README.md', 'CONTRIBUTING.md', 'docs/architecture.md', 'docs/decisions/README.md']) {
      assert.ok(FILES.includes(path), path)
    }
  })

  for (const path of FILES) {
    test(`${path} links to files and headings that exist`, () => {
      const links = [...prose(read(path)).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link)
      for (const link of links.filter((each) => !/^[a-z]+:/.test(each))) {
        const [file = '', anchor] = link.split('#')
        const target = file === '' ? path : join(dirname(path), file)
        assert.ok(existsSync(join(ROOT, target)), link)
        if (anchor !== undefined && target.endsWith('.md')) assert.ok(anchorsIn(target).has(anchor), link)
      }
    })
  }
})
