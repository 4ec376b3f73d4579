/** Words at the root of the passwords that leaks show most often, and those that come to mind at a sign-in page. */
const WORDS = new Set(
  `password passwort motdepasse contrasena contraseña senha parola wachtwoord haslo salasana lozinka heslo jelszo sifre
  secret geheim letmein welcome willkommen bienvenue admin administrator root login signin access master manager user guest
  test tester testing demo default changeme change temp temporary example hello hallo bonjour qwerty qwertz azerty qwertyuiop
  qwertzuiop azertyuiop asdf asdfgh asdfghjkl asdfasdf zxcvbn zxcvbnm qazwsx qazwsxedc wsxedc abc abcd abcdef abcdefg abcdefgh
  abcdefghi iloveyou ilove loveyou iloveu lovely loveme love lover monkey dragon princess prince sunshine shadow football
  baseball basketball soccer hockey superman batman spiderman ironman pokemon starwars trustno michael jordan jennifer jessica
  michelle ashley amanda nicole daniel andrew joshua matthew robert thomas charlie charles alexander samantha elizabeth anthony
  william hannah maggie george jackson jasmine summer winter spring autumn january february march april may june july august
  september october november december monday tuesday wednesday thursday friday saturday sunday freedom whatever computer
  internet samsung google facebook linkedin twitter instagram microsoft windows apple android corvette mustang ferrari mercedes
  porsche harley yamaha mercury killer hunter ranger buster thunder tigger pepper ginger cookie banana orange chocolate cheese
  flower butterfly rainbow diamond crystal silver golden phoenix falcon eagles cowboys yankees lakers steelers liverpool chelsea
  arsenal barcelona juventus realmadrid manchester starwars matrix gandalf merlin wizard warrior cowboy angel angels blessed jesus
  jesuschrist christ heaven trinity babygirl sweetheart sweetie honey beautiful gorgeous fuckyou fuckoff asshole bullshit
  biteme nothing nobody something anything everything security identity latchkey openid oauth server database mysql oracle`.split(
    /\s+/,
  ),
)

const WALKS = [
  '1234567890',
  'qwertyuiop',
  'qwertzuiop',
  'azertyuiop',
  'asdfghjkl',
  'yxcvbnm',
  'zxcvbnm',
  'abcdefghijklmnopqrstuvwxyz',
  '1q2w3e4r5t6z7u8i9o0p',
  '1q2w3e4r5t6y7u8i9o0p',
  '1qaz2wsx3edc4rfv5tgb6yhn7ujm',
  'q1w2e3r4t5y6u7i8o9p0',
  '0987654321',
  'zaq12wsx',
  'zaq1xsw2cde3',
]

const LEET: Record<string, string> = {
  '0': 'o',
  '1': 'i',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '7': 't',
  '@': 'a',
  $: 's',
  '!': 'i',
}

/** From this length on, even something said over and over is no first guess. */
const LONG = 20

/**
 * Whether a password (in lower case) is one that guessing would start with: a common word dressed up with digits, signs
 * or look-alike letters, a walk along the keyboard, or something short said over and over.
 */
export function isCommonPassword(password: string): boolean {
  const compact = password.replace(/[\s_.-]+/g, '')
  const unit = shortestRepeat(compact)
  const isMonotonous = new Set(compact).size <= 2 || (unit.length <= 3 && unit.length < compact.length)
  if (isMonotonous && compact.length < LONG) return true
  if ([compact, unit].some(isWalk)) return true
  return [compact, unit].some(
    (text) => WORDS.has(core(text)) || WORDS.has(core(unleet(text))) || WORDS.has(unleet(core(text))),
  )
}

/** Without what people put around a word to satisfy a rule. */
const core = (text: string): string => text.replace(/^[\d\W_]+|[\d\W_]+$/gu, '')

const unleet = (text: string): string => text.replace(/[013457@$!]/g, (sign) => LEET[sign] ?? sign)

const isWalk = (text: string): boolean => {
  const stem = text.replace(/[!?.]+$/, '')
  return stem.length >= 4 && WALKS.some((walk) => (walk + walk).includes(stem))
}

/** `abcabcabc` is said three times over: `abc`. */
function shortestRepeat(text: string): string {
  const at = (text + text).indexOf(text, 1)
  return text.slice(0, at)
}
