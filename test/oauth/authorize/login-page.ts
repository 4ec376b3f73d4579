import assert from 'node:assert/strict'
import { ORIGIN } from '../../support/app.ts'

/** The path that the login page returns to after a sign-in. */
export function returnTo(page: URL): string {
  assert.equal(page.origin + page.pathname, `${ORIGIN}/login`, page.href)
  return page.searchParams.get('return_to') ?? ''
}
