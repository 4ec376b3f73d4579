import { fold, withSlash } from './judge-address.ts'
import type { SiteRule } from './site-rule.ts'

/**
 * The addresses that a rule matches, in a form that can be compared with that of another rule. It follows `judgeAddress`: a
 * rule that opens matches exactly, the others without regard to case and to a slash at the end.
 */
export interface Region {
  /** Null: all. */
  methods: ReadonlySet<string> | null
  isExact: boolean
  /** Covers what is below its slash. */
  isPrefix: boolean
  /** The path, with the slash and without the asterisk. */
  path: string
  /** The same in the form in which paths are compared without regard to case. */
  folded: string
}

export function regionOf({ path: written, methods, policy }: Pick<SiteRule, 'path' | 'methods' | 'policy'>): Region {
  const isPrefix = written.endsWith('/*')
  const path = isPrefix ? written.slice(0, -1) : written
  return {
    methods: methods ? new Set(methods.includes('GET') ? [...methods, 'HEAD'] : methods) : null,
    isExact: policy === 'bypass',
    isPrefix,
    path,
    folded: isPrefix ? fold(path) : withSlash(fold(path)),
  }
}

/** Where no rule decides. */
export const EVERYWHERE: Region = { methods: null, isExact: false, isPrefix: true, path: '/', folded: '/' }

/** Whether an address may be in both. Never false when there is one. */
export const overlap = (a: Region, b: Region): boolean =>
  meet(a.methods, b.methods) && (a.isExact && b.isExact ? touch(a, b, a.path, b.path) : touch(a, b, a.folded, b.folded))

const touch = (a: Region, b: Region, ofA: string, ofB: string): boolean =>
  ofA === ofB || (a.isPrefix && ofB.startsWith(ofA)) || (b.isPrefix && ofA.startsWith(ofB))

const meet = (a: Region['methods'], b: Region['methods']): boolean => a === null || b === null || !a.isDisjointFrom(b)

/** Whether every address that is in both of the two is also in this one. Never true when one is not. */
export const coversBoth = (cover: Region, a: Region, b: Region): boolean =>
  (coversPaths(cover, a) || coversPaths(cover, b)) && coversMethods(cover.methods, a.methods, b.methods)

function coversPaths(cover: Region, { isExact, isPrefix, path, folded }: Region): boolean {
  // What is written in another case is not in a region that is exact.
  if (cover.isExact && !isExact) return false
  const [wide, narrow] = cover.isExact ? [cover.path, path] : [cover.folded, folded]
  return cover.isPrefix ? narrow.startsWith(wide) : !isPrefix && narrow === wide
}

function coversMethods(cover: Region['methods'], a: Region['methods'], b: Region['methods']): boolean {
  if (cover === null) return true
  if (a === null || b === null) return (a ?? b)?.isSubsetOf(cover) ?? false
  return a.intersection(b).isSubsetOf(cover)
}
