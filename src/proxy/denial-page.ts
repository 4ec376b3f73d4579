import type { AppError } from '../errors.ts'
import { escapeHtml } from '../platform/http/escape-html.ts'
import { toVisible } from '../platform/http/visible-name.ts'
import { DEFAULT_LOCALE, type Locale, preferredLocale } from '../vocabulary/locales.ts'
import type { ProxyAnswer, ProxyRequest } from './proxy-request.ts'
import { SiteDenial } from './site-denial.ts'

/** The page needs no scripts, images or other resources. */
const POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** Tells a visitor why a page does not open: which application, as whom they are signed in, and what they can do. */
export function denialPage(
  visit: Pick<ProxyRequest, 'acceptLanguage'>,
  error: AppError,
  anotherAccount: string | undefined,
): ProxyAnswer {
  const locale = (error instanceof SiteDenial ? error.visitor?.locale : undefined) ?? localeOf(visit)
  return page(error, locale, contentOf(TEXTS[locale], error, anotherAccount))
}

/** Tells somebody who sent a form without being signed in that it did not arrive, and how it can be sent again. */
export function formPage(visit: Pick<ProxyRequest, 'acceptLanguage'>, error: AppError, signIn: string): ProxyAnswer {
  const locale = localeOf(visit)
  const { title, texts, link } = TEXTS[locale].form
  // In a tab of its own, because going back to the form is not always possible, and reloading the answer sends it again.
  return page(error, locale, { title, texts, link: [signIn, link, ' target="_blank"'] })
}

const page = ({ status, code, challenge }: AppError, locale: Locale, content: Content): ProxyAnswer => ({
  status,
  headers: {
    'content-security-policy': POLICY,
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'content-type': 'text/html; charset=utf-8',
    ...(challenge === undefined ? {} : { 'www-authenticate': challenge }),
  },
  body: render(locale, content),
  deniedFor: code,
})

const localeOf = ({ acceptLanguage }: Pick<ProxyRequest, 'acceptLanguage'>): Locale =>
  preferredLocale(acceptLanguage) ?? DEFAULT_LOCALE

interface PageTexts {
  title(site: string): string
  failed: string
  signedInAs(email: string): string
  reasons: Record<SiteDenial['why'] | 'other', string>
  codes: Partial<Record<AppError['code'], string>>
  another: string
  form: { title: string; texts: string[]; link: string }
}

const TEXTS: Record<Locale, PageTexts> = {
  en: {
    title: (site) => `You can't open this page of ${site}`,
    failed: "This page can't be opened",
    signedInAs: (email) => `You are signed in as ${email}.`,
    reasons: {
      off: 'An administrator has turned this application off. Ask whoever runs it when it is on again.',
      path: 'This address is not valid here. Go back and follow the link again.',
      denied: 'This address is closed to everybody.',
      role: 'Your account may not open it. Ask whoever runs the application to let you in.',
      unconfirmed: 'Confirm your email address first, with the link that was sent to it.',
      weak: 'It demands a stronger sign-in than your account has. Add a passkey, or a second step if that is enough for it, on the page of your account.',
      other: 'Something about this request is not right. Tell whoever runs the application.',
    },
    codes: {
      unknown_host: 'No application is registered for this address. Tell whoever runs it.',
      https_required: 'This application is protected over https only.',
      sign_in_failed: 'This sign-in was not begun in this browser, or it took too long. Open the application again.',
      proxy_not_trusted: 'The proxy in front of this application is not trusted. Tell whoever runs it.',
      address_refused: 'This address is not valid here. Go back and follow the link again.',
    },
    another: 'Use another account',
    form: {
      title: 'Please sign in again',
      texts: [
        'What you sent did not arrive, because you are not signed in to this application any more.',
        'The link opens the sign-in in a new tab. Afterwards come back to this page and reload it: the browser then sends the form again.',
      ],
      link: 'Sign in',
    },
  },
  de: {
    title: (site) => `Diese Seite von ${site} lässt sich nicht öffnen`,
    failed: 'Diese Seite lässt sich nicht öffnen',
    signedInAs: (email) => `Angemeldet als ${email}.`,
    reasons: {
      off: 'Diese Anwendung wurde von der Verwaltung abgeschaltet. Wer sie betreibt, weiß, wann sie wieder läuft.',
      path: 'Diese Adresse ist hier nicht gültig. Bitte zurückgehen und dem Link noch einmal folgen.',
      denied: 'Diese Adresse ist für alle gesperrt.',
      role: 'Mit diesem Konto ist der Zugang nicht erlaubt. Wer die Anwendung betreibt, kann ihn freigeben.',
      unconfirmed: 'Zuerst muss die E-Mail-Adresse bestätigt werden, mit dem Link aus der zugesandten Nachricht.',
      weak: 'Die Anmeldung muss hier stärker sein, als dieses Konto es erlaubt. Bitte in den eigenen Kontoeinstellungen einen Passkey einrichten, oder den zweiten Schritt, falls der genügt.',
      other: 'Mit dieser Anfrage stimmt etwas nicht. Bitte der Stelle melden, die die Anwendung betreibt.',
    },
    codes: {
      unknown_host: 'Für diese Adresse ist keine Anwendung eingetragen. Bitte der Stelle melden, die sie betreibt.',
      https_required: 'Diese Anwendung ist nur über https geschützt.',
      sign_in_failed:
        'Diese Anmeldung wurde nicht in diesem Browser begonnen oder hat zu lange gedauert. Bitte die Anwendung noch einmal öffnen.',
      proxy_not_trusted:
        'Dem Proxy vor dieser Anwendung wird nicht vertraut. Bitte der Stelle melden, die sie betreibt.',
      address_refused: 'Diese Adresse ist hier nicht gültig. Bitte zurückgehen und dem Link noch einmal folgen.',
    },
    another: 'Anderes Konto verwenden',
    form: {
      title: 'Bitte erneut anmelden',
      texts: [
        'Die gesendeten Daten sind nicht angekommen, weil die Anmeldung bei dieser Anwendung nicht mehr gilt.',
        'Der Link öffnet die Anmeldung in einem neuen Tab. Danach hierher zurückkehren und die Seite neu laden: Der Browser sendet das Formular dann noch einmal.',
      ],
      link: 'Anmelden',
    },
  },
}

interface Content {
  title: string
  texts: string[]
  link?: [address: string, text: string, attributes?: string]
}

function contentOf(texts: PageTexts, error: AppError, anotherAccount: string | undefined): Content {
  if (!(error instanceof SiteDenial))
    return { title: texts.failed, texts: [texts.codes[error.code] ?? texts.reasons.other] }
  const { visitor, why, siteName } = error
  return {
    title: texts.title(toVisible(siteName)),
    texts: [...(visitor ? [texts.signedInAs(visitor.email)] : []), texts.reasons[why]],
    ...(visitor && anotherAccount !== undefined ? { link: [anotherAccount, texts.another] } : {}),
  }
}

function render(locale: Locale, { title, texts, link: [address, text, attributes = ''] = ['', ''] }: Content): string {
  const paragraphs = texts.map((each) => `<p>${escapeHtml(each)}</p>\n`).join('')
  const link = address === '' ? '' : `<p><a href="${escapeHtml(address)}"${attributes}>${escapeHtml(text)}</a></p>\n`
  return `<!doctype html>
<html lang="${locale}">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>:root{color-scheme:light dark}body{font:1rem/1.5 system-ui,sans-serif;max-width:34rem;margin:4rem auto;padding:0 1.5rem;overflow-wrap:anywhere}h1{font-size:1.4rem}</style>
<main>
<h1>${escapeHtml(title)}</h1>
${paragraphs}${link}</main>
</html>
`
}
