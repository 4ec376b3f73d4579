import { Box, Group, PasswordInput, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import type { PersonalDetails } from '../../../src/identity/password-strength/personal-words.ts'
import { usePasswordVerdict } from '../lib/use-password-verdict.ts'
import { useTexts } from '../texts/TextsProvider.tsx'

const COLORS = ['gray.5', 'red.6', 'brass.4', 'pine.5', 'pine.6'] as const

type Props = {
  label: string
  value: string
  person?: PersonalDetails
  /** What the server said about it. */
  error?: ReactNode
  'aria-invalid'?: boolean
  onChange: (value: string) => void
}

/** Without a limit of its length: a browser would cut a longer one that is pasted, and only the server says that it is too long. */
export function NewPasswordInput({ label, value, person = {}, error, onChange }: Props) {
  const texts = useTexts('shared')
  const verdict = usePasswordVerdict(value, person)
  const shown = verdict?.weak ? texts.weakPassword[verdict.weak] : error
  const strength = verdict ? levelOf(verdict) : 0
  const isKnown = value !== '' && (verdict !== undefined || Array.from(value).length < 8)
  return (
    <Box>
      <PasswordInput
        label={label}
        description={texts.strength.hint}
        autoComplete="new-password"
        required
        withAsterisk={false}
        minLength={8}
        value={value}
        error={shown}
        aria-invalid={Boolean(shown)}
        onChange={(event) => onChange(event.currentTarget.value)}
        visibilityToggleButtonProps={{ 'aria-label': texts.showPassword }}
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
        <Text size="xs" c="dimmed" w={72} ta="right" aria-hidden>
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
