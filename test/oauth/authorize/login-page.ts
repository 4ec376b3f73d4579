import assert from 'node:assert/strict'
import { ORIGIN } from '../../support/app.ts'

/** The path that the login page returns to after a sign-in. */
export const returnTo = (page: URL): string => returnOf(page, '/login')

/** The same of the page on which somebody who is signed in proves once more who they are. */
export const returnFromStepUp = (page: URL): string => returnOf(page, '/step-up')

function returnOf(page: URL, path: string): string {
  assert.equal(page.origin + page.pathname, ORIGIN + path, page.href)
  return page.searchParams.get('return_to') ?? ''
}
