import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fallsShort, isStrongEnough, missingAcr } from '../../../src/oauth/clients/demands.ts'
import { ACRS, type Acr } from '../../../src/vocabulary/sign-in-methods.ts'

const VALUES = [...ACRS, 'urn:unknown']
/** Every list of up to three values. */
const LISTS = [[], ...VALUES.map((one) => [one]), ...VALUES.flatMap((one) => VALUES.map((other) => [one, other]))]

test('what is missing is the least that meets every demand, and is never more than the person is capable of', () => {
  for (const required of [null, ...ACRS])
    for (const essential of [undefined, ...LISTS.filter((list) => list.length > 0)])
      for (const wanted of LISTS)
        for (const acr of ACRS)
          for (const strongest of ACRS) {
            const demands = { required, essential, wanted }
            const missing = missingAcr(demands, acr, strongest)
            const context = JSON.stringify({ ...demands, acr, strongest, missing })
            if (isStrongEnough(demands, acr)) assert.equal(missing, undefined, context)
            const hard = { ...demands, wanted: [] }
            const reachable = ACRS.filter((each) => rank(each) <= Math.max(rank(strongest), rank(acr)))
            const canMeet = reachable.some((each) => rank(each) >= rank(acr) && isStrongEnough(hard, each))
            assert.equal(missing === 'unmet', !canMeet, context)
            if (missing === undefined || missing === 'unmet') continue
            assert.ok(rank(missing) <= rank(strongest) && rank(missing) > rank(acr), context)
            assert.ok(isStrongEnough(hard, missing), context)
            // With less, something that can be had would be missing still.
            const less = ACRS[rank(missing) - 1]
            assert.ok(less === undefined || !isStrongEnough(demands, less), context)
          }
})

test('a strength that this version does not know meets only itself', () => {
  assert.equal(fallsShort({ requiredAcr: '1' }, { acr: 'urn:unknown' }), true)
  assert.equal(fallsShort({ requiredAcr: null }, { acr: 'urn:unknown' }), false)
})

const rank = (acr: Acr): number => ACRS.indexOf(acr)
