import { Box, Group, PasswordInput, type PasswordInputProps, Text } from '@mantine/core'
import { useEffect, useState } from 'react'
import type { Verdict } from '../../../src/identity/password-strength/assess-password.ts'
import { type PersonalDetails, personalWords } from '../../../src/identity/password-strength/personal-words.ts'
import { useTexts } from '../texts/TextsProvider.tsx'

const COLORS = ['gray.5', 'red.6', 'brass.4', 'pine.5', 'pine.6'] as const

type Props = Omit<PasswordInputProps, 'value'> & { value?: string; person?: PersonalDetails }

/** Without a limit of its length: a browser would cut a longer one that is pasted, and only the server says that it is too long. */
export function NewPasswordInput({ value = '', person = {}, error, ...input }: Props) {
  const texts = useTexts('shared')
  const verdict = usePasswordVerdict(value, person)
  const shown = verdict?.weak ? texts.weakPassword[verdict.weak] : error
  const strength = verdict ? levelOf(verdict) : 0
  const isKnown = value !== '' && (verdict !== undefined || Array.from(value).length < 8)
  return (
    <Box>
      <PasswordInput
        description={texts.strength.hint}
        autoComplete="new-password"
        required
        withAsterisk={false}
        minLength={8}
        visibilityToggleButtonProps={{ 'aria-label': texts.showPassword }}
        {...input}
        value={value}
        error={shown}
        aria-invalid={Boolean(shown)}
      />
      <Group
        gap={6}
        mt={8}
        role="meter"
        aria-label={texts.strength.label}
        aria-valuemin={0}
        aria-valuemax={4}
        aria-valuenow={strength}
        aria-valuetext={isKnown ? (texts.strength.levels[strength] ?? '') : texts.strength.label}
      >
        {[1, 2, 3, 4].map((step) => (
          <Box
            key={step}
            h={4}
            flex={1}
            bg={strength >= step ? COLORS[strength] : 'var(--latchkey-line)'}
            style={{ borderRadius: 2, transition: 'background 150ms' }}
          />
        ))}
        <Text size="xs" c="dimmed" w={72} ta="end" aria-hidden>
          {isKnown ? texts.strength.levels[strength] : ''}
        </Text>
      </Group>
    </Box>
  )
}

/** 1 for a weak password, which is refused; 2 to 4 by how many guesses an accepted one takes. */
function levelOf({ weak, guessesLog10 }: { weak: unknown; guessesLog10: number }): 1 | 2 | 3 | 4 {
  if (weak !== undefined) return 1
  if (guessesLog10 < 10) return 2
  return guessesLog10 < 13 ? 3 : 4
}

type Assess = (password: string, personal: string[]) => Verdict

let loading: Promise<Assess> | undefined

/** The server's own rule with its dictionaries. They are large, and few visitors choose a password: loaded when one does. */
function loadRule(): Promise<Assess> {
  loading ??= Promise.all([
    import('../../../src/identity/password-strength/assess-password.ts'),
    import('../../../src/identity/password-strength/load-estimator.ts').then(({ loadEstimator }) => loadEstimator()),
  ]).then(
    ([{ assessPassword }, estimate]): Assess =>
      (password, personal) =>
        assessPassword(estimate, password.normalize('NFKC'), personal),
  )
  // After a failure, such as a lost connection, the next call tries again.
  loading.catch(() => (loading = undefined))
  return loading
}

/** Long enough not to assess at every key, short enough to seem immediate. */
const PAUSE_MS = 150

/** The server's verdict on this password. Undefined while it is too short, or not known yet. */
function usePasswordVerdict(password: string, person: PersonalDetails): Verdict | undefined {
  const [known, setKnown] = useState<{ input: string; verdict: Verdict }>()
  const personal = personalWords(person, location.hostname)
  const isLongEnough = Array.from(password).length >= 8
  const input = JSON.stringify([password, personal])

  useEffect(() => {
    if (password !== '') void loadRule().catch(() => undefined)
  }, [password])

  useEffect(() => {
    if (!isLongEnough) return undefined
    let isCurrent = true
    const pause = setTimeout(() => {
      const [text, words] = JSON.parse(input) as [string, string[]]
      void loadRule()
        .then((assess) => isCurrent && setKnown({ input, verdict: assess(text, words) }))
        // Without the rule there is no hint; the server decides anyway.
        .catch(() => undefined)
    }, PAUSE_MS)
    return () => {
      isCurrent = false
      clearTimeout(pause)
    }
  }, [input, isLongEnough])

  return isLongEnough && known?.input === input ? known.verdict : undefined
}
