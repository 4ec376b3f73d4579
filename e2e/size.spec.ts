import { expect, test } from './support/test.ts'

const MAX_BYTES = 110_000

for (const path of ['/login', '/consent?client_id=x', '/no-access?client_id=x', '/device?user_code=BCDF-GHJK']) {
  test(`${path} loads under ${MAX_BYTES / 1000} KB of compressed script`, async ({ page, person: _person }) => {
    const sizes: Promise<number>[] = []
    page.on('response', (response) => {
      if (response.request().resourceType() !== 'script') return
      sizes.push(
        response
          .request()
          .sizes()
          .then(({ responseBodySize }) => responseBodySize),
      )
    })
    await page.goto(path, { waitUntil: 'networkidle' })
    const total = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
    expect(total).toBeGreaterThan(0)
    expect(total).toBeLessThan(MAX_BYTES)
  })
}
