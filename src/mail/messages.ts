import type { Config } from '../config/config.ts'
import { escapeHtml } from '../http/escape-html.ts'
import type { LinkPurpose } from '../vocabulary/link-purposes.ts'
import type { LinkMail, Mail } from './mail.ts'

type Names = Pick<Config, 'dashboardOrigin' | 'rpName'>

/** Every mail that the service sends. Links lead to DASHBOARD_ORIGIN and nowhere else. */
export const resetMail = (config: Names, to: string, token: string): LinkMail =>
  compose(config, to, {
    purpose: 'reset',
    token,
    subject: `Set a new password for ${config.rpName}`,
    message: `Somebody asked for a new password for your account ${to}. If it was you, set one here within an hour:`,
    path: `/reset-password?token=${token}`,
    button: 'Set a new password',
    ifUnexpected: 'If it was not you, ignore this mail: nothing has changed.',
  })

export const resetMailByAdministrator = (config: Names, to: string, token: string): LinkMail =>
  compose(config, to, {
    purpose: 'reset',
    token,
    subject: `Set a new password for ${config.rpName}`,
    message: `An administrator sent you this link to set a new password for your account ${to}, within an hour:`,
    path: `/reset-password?token=${token}`,
    button: 'Set a new password',
    ifUnexpected: 'Your password stays as it is until you set a new one.',
  })

export const invitationMail = (config: Names, to: string, token: string, invitedBy: string): LinkMail =>
  compose(config, to, {
    purpose: 'invitation',
    token,
    subject: `Your invitation to ${config.rpName}`,
    message: `${invitedBy} invites you to ${config.rpName}. Set up your account to start using it, within seven days:`,
    path: `/invitation#token=${token}`,
    button: 'Accept the invitation',
    ifUnexpected: 'If you did not expect this, ignore this mail.',
  })

export const verificationMail = (config: Names, to: string, token: string): LinkMail =>
  compose(config, to, {
    purpose: 'verification',
    token,
    subject: `Confirm your email for ${config.rpName}`,
    message: `Confirm that ${to} is your address, within a day:`,
    path: `/verify-email?token=${token}`,
    button: 'Confirm this address',
    ifUnexpected: 'If you have no account here, ignore this mail.',
  })

export const emailChangeMail = (config: Names, to: string, token: string): LinkMail =>
  compose(config, to, {
    purpose: 'email_change',
    token,
    subject: `Confirm your new email for ${config.rpName}`,
    message: `Confirm that ${to} is the new address of your account, within a day:`,
    path: `/verify-email?token=${token}`,
    button: 'Confirm the new address',
    ifUnexpected: 'If you have no account here, ignore this mail.',
  })

/** To the address that an account had until now. */
export const emailChangedMail = (config: Names, to: string, token: string, newEmail: string): LinkMail =>
  compose(config, to, {
    purpose: 'email_revert',
    token,
    subject: `The email of your account at ${config.rpName} was changed`,
    message: `The address of your account was changed from ${to} to ${newEmail}. If it was not you, restore your address here within seven days. That also signs everybody out and removes the password, and what was added to the account since:`,
    path: `/revert-email#token=${token}`,
    button: 'Restore my address',
    ifUnexpected: 'If it was you, there is nothing to do.',
  })

/** To an administrator who wants to know whether mail arrives. Its link carries no token. */
export function testMail({ dashboardOrigin, rpName }: Names, to: string): Mail {
  const text = `This mail shows that ${rpName} can send mail.\n\n${dashboardOrigin}\n`
  const html = `<!doctype html><html lang="en"><body><p>${escapeHtml(`This mail shows that ${rpName} can send mail.`)}</p></body></html>`
  return { to, subject: `A test mail of ${rpName}`, text, html, link: dashboardOrigin }
}

interface Parts {
  purpose: LinkPurpose
  token: string
  subject: string
  message: string
  path: string
  button: string
  ifUnexpected: string
}

function compose(
  { dashboardOrigin, rpName }: Names,
  to: string,
  { purpose, token, subject, message, path, button, ifUnexpected }: Parts,
): LinkMail {
  const link = dashboardOrigin + path
  const text = `${message}\n\n${link}\n\n${ifUnexpected}\n\n${rpName}\n`
  const html = `<!doctype html><html lang="en"><body style="font:16px/1.5 system-ui,sans-serif;color:#1b1d21;margin:0;padding:24px">
<div style="max-width:32rem;margin:0 auto"><p>${escapeHtml(message)}</p>
<p><a href="${escapeHtml(link)}" style="display:inline-block;background:#1f4fbf;color:#fff;padding:12px 20px;border-radius:8px;text-decoration:none">${escapeHtml(button)}</a></p>
<p style="color:#5c6370;font-size:14px">${escapeHtml(ifUnexpected)}</p><p style="color:#5c6370;font-size:14px">${escapeHtml(rpName)}</p></div></body></html>`
  return { to, subject, text, html, link, token, purpose }
}
