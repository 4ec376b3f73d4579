import { expect, test } from './support/test.ts'

test('with reduced motion a change of colours reaches the whole page at once', async ({ page, person: _person }) => {
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
  await page.goto('/account/sessions')
  await expect(page.getByRole('heading', { name: 'Sessions' })).toBeVisible()
  const colors = await page.evaluate(() => {
    const colorsOfText = () =>
      [document.body, ...document.querySelectorAll('header span, main p')].map((text) => getComputedStyle(text).color)
    const before = colorsOfText()
    document.documentElement.dataset['mantineColorScheme'] = 'dark'
    return { before, after: colorsOfText() }
  })
  expect(colors.before.length).toBeGreaterThan(3)
  for (const [at, color] of colors.after.entries()) expect(color).not.toBe(colors.before[at])
})
