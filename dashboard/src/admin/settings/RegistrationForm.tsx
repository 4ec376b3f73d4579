import { Radio, Stack, TagsInput } from '@mantine/core'
import { useState } from 'react'
import type { Settings } from '../../api/shapes.ts'
import { beyondFields, issueAt } from '../../lib/field-issue.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { FailureAlert } from '../../ui/FailureAlert.tsx'
import { SaveButton } from '../../ui/SaveButton.tsx'
import { Section } from '../../ui/Section.tsx'
import { useTouched } from '../../ui/use-touched.ts'
import { useSaveSettings } from './use-save-settings.ts'

type Props = { settings: Settings; fixed: readonly string[] }

const KINDS = ['open', 'invite'] as const

/** What was pasted may hold several, and whole addresses begin with an @. */
const domainsIn = (names: string[]): string[] => [
  ...new Set(names.flatMap((name) => name.toLowerCase().split(/[\s,;@]+/)).filter(Boolean)),
]

/** Who gets an account. */
export function RegistrationForm({ settings, fixed }: Props) {
  const texts = useTexts('admin').settings
  const save = useSaveSettings()
  const touched = useTouched(save)
  const [registration, setRegistration] = useState(settings.registration)
  const [domains, setDomains] = useState(settings.allowedEmailDomains)
  const isFixed = fixed.includes('registration')
  return (
    <Section title={texts.registration} description={texts.registrationText}>
      <form
        noValidate
        {...touched}
        onSubmit={(event) => {
          event.preventDefault()
          if (save.isPending) return
          save.mutate({
            ...(isFixed || registration === settings.registration ? {} : { registration }),
            ...(domains.join() === settings.allowedEmailDomains.join() ? {} : { allowedEmailDomains: domains }),
          })
        }}
      >
        <Stack>
          <Radio.Group
            label={texts.who}
            description={isFixed ? texts.fixed('REGISTRATION') : undefined}
            error={issueAt(save.error, 'registration')}
            value={registration}
            onChange={(value) => {
              save.reset()
              setRegistration(KINDS.find((kind) => kind === value) ?? 'invite')
            }}
          >
            <Stack gap="xs" mt={6}>
              {KINDS.map((kind) => (
                <Radio
                  key={kind}
                  value={kind}
                  label={texts.registrations[kind].title}
                  description={texts.registrations[kind].text}
                  disabled={isFixed}
                />
              ))}
            </Stack>
          </Radio.Group>
          <TagsInput
            label={texts.domains}
            description={texts.domainsHint}
            size="md"
            placeholder={domains.length === 0 ? 'example.com' : ''}
            splitChars={[',', ' ', ';']}
            acceptValueOnBlur
            maxTags={100}
            error={issueAt(save.error, 'allowedEmailDomains')}
            value={domains}
            onChange={(names) => {
              save.reset()
              setDomains(domainsIn(names))
            }}
          />
          <FailureAlert failure={beyondFields(save.error, ['registration', 'allowedEmailDomains'])} />
          <SaveButton save={save} />
        </Stack>
      </form>
    </Section>
  )
}
