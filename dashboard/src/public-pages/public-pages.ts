import type { ComponentType } from 'react'
import { paths } from '../paths.ts'

type Load = () => Promise<{ default: ComponentType }>

/** The pages that people see before they have signed in. Each is loaded separately. */
export const publicPages: Record<string, Load> = {
  [paths.login]: () => import('../sign-in/LoginPage.tsx'),
  [paths.register]: () => import('../sign-in/RegisterPage.tsx'),
  [paths.forgotPassword]: () => import('../sign-in/ForgotPasswordPage.tsx'),
  [paths.resetPassword]: () => import('../sign-in/ResetPasswordPage.tsx'),
  [paths.invitation]: () => import('../sign-in/InvitationPage.tsx'),
  [paths.revertEmail]: () => import('../sign-in/NotMePage.tsx'),
  [paths.notMe]: () => import('../sign-in/NotMePage.tsx'),
  [paths.verifyEmail]: () => import('../sign-in/VerifyEmailPage.tsx'),
  [paths.setup]: () => import('../sign-in/SetupPage.tsx'),
  [paths.stepUp]: () => import('../sign-in/StepUpPage.tsx'),
  [paths.logout]: () => import('../sign-in/LogoutPage.tsx'),
  [paths.consent]: () => import('../consent/ConsentPage.tsx'),
  [paths.noAccess]: () => import('../consent/NoAccessPage.tsx'),
  [paths.device]: () => import('../device/DevicePage.tsx'),
}

const withoutSlash = (path: string) => (path.length > 1 ? path.replace(/\/$/, '') : path)

export const publicPageAt = (path: string): Load | undefined => publicPages[withoutSlash(path)]
