import { knownDeviceName } from '../../vocabulary/device-names.ts'
import type { LinkPurpose } from '../../vocabulary/link-purposes.ts'
import type { Locale } from '../../vocabulary/locales.ts'
import type { SecurityEventType } from '../../vocabulary/notification-types.ts'
import { readableAccent } from '../colors/accent-shades.ts'
import type { Config } from '../config/config.ts'
import { escapeHtml } from '../http/escape-html.ts'
import type { RequestSource } from '../http/request-source.ts'
import type { LinkMail, Mail } from './mail.ts'
import { de } from './texts-de.ts'
import { en, type LinkTexts } from './texts-en.ts'

/** Whom a mail is from, and in which language it is. */
export type Names = Pick<Config, 'dashboardOrigin' | 'rpName'> & {
  accentColor: string | null
  logoUrl: string | null
  locale: Locale
}

const TEXTS = { en, de }

/** Every mail that the service sends. Links lead to DASHBOARD_ORIGIN and nowhere else. */
export const resetMail = (names: Names, to: string, token: string): LinkMail =>
  compose(names, to, {
    purpose: 'reset',
    token,
    path: `/reset-password?token=${token}`,
    texts: TEXTS[names.locale].reset(names.rpName, to),
  })

/** To the owner of an account, who said that somebody else had used it. */
export const resetMailAfterUndoing = (names: Names, to: string, token: string): LinkMail =>
  compose(names, to, {
    purpose: 'reset',
    token,
    path: `/reset-password?token=${token}`,
    texts: TEXTS[names.locale].resetAfterUndoing(names.rpName, to),
  })

/** With the link of the owner who did not expect it, if the address was confirmed. */
export const resetMailByAdministrator = (
  names: Names,
  to: string,
  token: string,
  notMeToken: string | undefined,
): LinkMail =>
  compose(names, to, {
    purpose: 'reset',
    token,
    path: `/reset-password?token=${token}`,
    texts: TEXTS[names.locale].resetByAdministrator(names.rpName, to),
    ...(notMeToken === undefined ? {} : { notMeLink: names.dashboardOrigin + notMePath(notMeToken) }),
  })

export const invitationMail = (names: Names, to: string, token: string, invitedBy: string): LinkMail =>
  compose(names, to, {
    purpose: 'invitation',
    token,
    path: `/invitation#token=${token}`,
    texts: TEXTS[names.locale].invitation(names.rpName, invitedBy),
  })

export const setUpMail = (names: Names, to: string, token: string): LinkMail =>
  compose(names, to, {
    purpose: 'setup',
    token,
    path: `/step-up#token=${token}`,
    texts: TEXTS[names.locale].setUp(names.rpName, to),
  })

export const verificationMail = (names: Names, to: string, token: string): LinkMail =>
  compose(names, to, {
    purpose: 'verification',
    token,
    path: `/verify-email?token=${token}`,
    texts: TEXTS[names.locale].verification(names.rpName, to),
  })

export const emailChangeMail = (names: Names, to: string, token: string): LinkMail =>
  compose(names, to, {
    purpose: 'email_change',
    token,
    path: `/verify-email?token=${token}`,
    texts: TEXTS[names.locale].emailChange(names.rpName, to),
  })

/** To the address that an account had until now. */
export const emailChangedMail = (names: Names, to: string, token: string, newEmail: string): LinkMail =>
  compose(names, to, {
    purpose: 'email_revert',
    token,
    path: notMePath(token),
    texts: TEXTS[names.locale].emailChanged(names.rpName, to, newEmail),
  })

interface SecurityFacts {
  type: SecurityEventType
  /** What the passkey, key or password is called. */
  name: string | undefined
  /** A passkey that the browser has made by itself. */
  isConditional: boolean
  at: number
  /** The address of the account at that time. */
  account: string
  /** Where the request came from; null if it was not the owner's own. */
  source: Pick<RequestSource, 'ipAddress' | 'userAgent' | 'geolocation'> | null
}

/** To the owner of an account, about something that happened to its security. */
export function securityMail(names: Names, to: string, token: string, facts: SecurityFacts): LinkMail {
  const { security, conditionalPasskey, notMe } = TEXTS[names.locale]
  const textsOf = facts.isConditional ? conditionalPasskey : security[facts.type]
  const { subject, message } = textsOf(names.rpName, facts.account, quote(names.locale, facts.name))
  return compose(names, to, {
    purpose: 'not_me',
    token,
    path: notMePath(token),
    texts: { subject, message, ...notMe },
    facts: describe(names.locale, facts),
  })
}

/** In the part of an address that browsers do not send. */
const notMePath = (token: string): string => `/not-me#token=${token}`

/** Whoever has taken an account over chooses such a name. Mail programs would make a link of one that looks like an address. */
const quote = (locale: Locale, name: string | undefined): string => {
  if (name === undefined || /[/:@\\]|\.\S/.test(name)) return ''
  return locale === 'de' ? ` „${name}“` : ` “${name}”`
}

function describe(locale: Locale, { at, source }: SecurityFacts): [label: string, value: string][] {
  const { when, where, device, by, administrator } = TEXTS[locale].securityFacts
  const time = new Intl.DateTimeFormat(locale === 'en' ? 'en-GB' : locale, {
    dateStyle: 'long',
    timeStyle: 'short',
    timeZone: 'UTC',
  })
  const facts: [string, string][] = [[when, `${time.format(at)} (UTC)`]]
  if (source === null) return [...facts, [by, administrator]]
  const { city, country } = source.geolocation
  const place = [city, country].filter(Boolean).join(', ')
  facts.push([where, place === '' ? source.ipAddress : `${place} (${source.ipAddress})`])
  const name = knownDeviceName(source.userAgent)
  return name === undefined ? facts : [...facts, [device, name]]
}

/** To an address that was never confirmed, and that an account had until now. It may be a stranger's: the new one is not named. */
export function emailChangedNotice(names: Names, to: string): Mail {
  const { subject, message } = TEXTS[names.locale].emailChangedNotice(names.rpName, to)
  const html = renderMail(names, `<p>${escapeHtml(message)}</p>`)
  return { to, subject, text: `${message}\n\n${names.rpName}\n`, html, link: names.dashboardOrigin }
}

/** To the address that an account had until an administrator changed it. */
export const emailChangedByAdministratorMail = (names: Names, to: string, newEmail: string): Mail =>
  composeNotice(names, to, TEXTS[names.locale].emailChangedByAdministrator(names.rpName, to, newEmail))

/** To an administrator who wants to know whether mail arrives. */
export const testMail = (names: Names, to: string): Mail =>
  composeNotice(names, to, TEXTS[names.locale].test(names.rpName))

/** A mail that only tells something. Its link carries no token. */
function composeNotice(names: Names, to: string, { subject, message }: { subject: string; message: string }): Mail {
  const { dashboardOrigin } = names
  const text = `${message}\n\n${dashboardOrigin}\n`
  return { to, subject, text, html: renderMail(names, `<p>${escapeHtml(message)}</p>`), link: dashboardOrigin }
}

interface Parts {
  purpose: LinkPurpose
  token: string
  path: string
  texts: LinkTexts
  facts?: [label: string, value: string][]
  /** A second link, for who did not expect the mail. */
  notMeLink?: string
}

function compose(names: Names, to: string, { purpose, token, path, texts, facts = [], notMeLink }: Parts): LinkMail {
  const { subject, message, button, ifUnexpected } = texts
  const { notMe } = TEXTS[names.locale]
  const link = names.dashboardOrigin + path
  const told = facts.map(([label, value]) => `${label}: ${value}`)
  const second = notMeLink === undefined ? [] : [`${notMe.button}: ${notMeLink}`]
  const text = `${[message, ...(told.length > 0 ? [told.join('\n')] : []), link, ifUnexpected, ...second, names.rpName].join('\n\n')}\n`
  const html = renderMail(
    names,
    `<p>${escapeHtml(message)}</p>${told.length > 0 ? `<p>${told.map(escapeHtml).join('<br>')}</p>` : ''}
<p><a href="${escapeHtml(link)}" style="display:inline-block;background:${readableAccent(names.accentColor)};color:#fff;padding:12px 20px;border-radius:8px;text-decoration:none;font-weight:600">${escapeHtml(button)}</a></p>
<p style="color:#586565;font-size:14px">${escapeHtml(ifUnexpected)}${
      notMeLink === undefined ? '' : ` <a href="${escapeHtml(notMeLink)}">${escapeHtml(notMe.button)}</a>`
    }</p>`,
  )
  return { to, subject, text, html, link, token, purpose }
}

/** Colours are in the elements, because many mail programs drop style sheets. */
function renderMail({ rpName, logoUrl, locale }: Names, content: string): string {
  const name = escapeHtml(rpName)
  const logo = logoUrl === null ? '' : `<img src="${escapeHtml(logoUrl)}" alt="" width="40" height="40"><br>`
  return `<!doctype html><html lang="${locale}"><head><meta charset="utf-8"><meta name="color-scheme" content="light dark"></head>
<body style="font:16px/1.5 system-ui,sans-serif;color:#1e2525;background:#fff;margin:0;padding:24px">
<div style="max-width:32rem;margin:0 auto"><p style="font-weight:650">${logo}${name}</p>
${content}
<p style="color:#586565;font-size:14px">${name}</p></div></body></html>`
}
