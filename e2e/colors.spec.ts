import { expect, test } from './support/test.ts'

test('with reduced motion a change of colours reaches the whole page at once', async ({ page, person: _person }) => {
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
  await page.goto('/account/sessions')
  await expect(page.getByRole('heading', { name: 'Sessions' })).toBeVisible()
  // As text: the types of a browser are not known here.
  const colors = await page.evaluate<{ before: string[]; after: string[] }>(`(() => {
    const colorsOfText = () =>
      [document.body, ...document.querySelectorAll('header span, main p')].map((text) => getComputedStyle(text).color)
    const before = colorsOfText()
    document.documentElement.dataset['mantineColorScheme'] = 'dark'
    return { before, after: colorsOfText() }
  })()`)
  expect(colors.before.length).toBeGreaterThan(3)
  for (const [at, color] of colors.after.entries()) expect(color).not.toBe(colors.before[at])
})
