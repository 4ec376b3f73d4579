import type { SignIn } from './organisation.ts'

/** Signs in at Auth.js or next-auth, whose sign-in page is a form with a token against CSRF. */
export const signInWithForm =
  (home: string, path: string): SignIn =>
  async (visitor) => {
    const { csrfToken } = JSON.parse((await visitor.open(`${home}${path}/csrf`)).body) as { csrfToken: string }
    return visitor.submit(`${home}${path}/signin/latchkey`, { csrfToken, callbackUrl: `${home}/` })
  }
