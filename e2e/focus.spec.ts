import { expect, test } from './support/test.ts'

for (const colorScheme of ['light', 'dark'] as const) {
  test(`fault 3: what has the focus has a visible outline, and links and icons have their colours, in ${colorScheme} colours`, async ({
    page,
    person: _person,
  }) => {
    await page.emulateMedia({ colorScheme })
    const expectOutline = async () => {
      const focused = page.locator(':focus')
      await expect(focused).toHaveCSS('outline-style', 'solid')
      await expect(focused).toHaveCSS('outline-width', '2px')
      await expect(focused).toHaveCSS(
        'outline-color',
        colorScheme === 'light' ? 'rgb(21, 103, 92)' : 'rgb(95, 184, 170)',
      )
    }
    await page.goto('/account/passkeys')
    await expect(page.getByRole('heading', { name: 'Passkeys', exact: true })).toBeVisible()
    // The link that skips the navigation, the product's name, the bell, the menu, the first link of the navigation.
    for (let each = 0; each < 5; each += 1) {
      await page.keyboard.press('Tab')
      await expectOutline()
    }
    await expect(page.getByRole('link', { name: 'Passkeys' }).first()).toHaveCSS(
      'color',
      colorScheme === 'light' ? 'rgb(11, 79, 70)' : 'rgb(176, 220, 212)',
    )

    await page.goto('/login')
    await page.getByRole('link', { name: 'Forgot your password?' }).focus()
    await page.keyboard.press('Shift+Tab')
    await page.keyboard.press('Tab')
    await expectOutline()
  })
}

test('fault 8: the focus goes back to what opened a dialog, also after the dialog did its work', async ({
  page,
  person,
}) => {
  await page.goto('/account/passkeys')
  const opener = page.getByRole('button', { name: 'Add a passkey' })
  await opener.focus()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('dialog')).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog')).toBeHidden()
  await expect(opener).toBeFocused()

  const { email, password } = person
  const elsewhere = await page
    .context()
    .browser()
    ?.newContext({ baseURL: new URL(page.url()).origin })
  await elsewhere?.request.post('/api/auth/login', { data: { email, password } })
  await elsewhere?.close()
  await page.goto('/account/sessions')
  await page.getByRole('button', { name: 'End all other sessions' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'End all other sessions' }).click()
  await expect(page.getByText('Nowhere else')).toBeVisible()
  // The button is gone with the sessions, so reading goes on at the content.
  await expect(page.locator('#content')).toBeFocused()
})
