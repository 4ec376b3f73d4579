import { ColorInput, Group, Paper, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { Settings } from '../../api/shapes.ts'
import { beyondFields, issueAt } from '../../lib/field-issue.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { FailureAlert } from '../../ui/FailureAlert.tsx'
import { SaveButton } from '../../ui/SaveButton.tsx'
import { Section } from '../../ui/Section.tsx'
import { useTouched } from '../../ui/use-touched.ts'
import { contrastOf, ENOUGH_CONTRAST } from './contrast.ts'
import { useSaveSettings } from './use-save-settings.ts'

type Props = { settings: Settings; fixed: readonly string[] }

/** How the service is called and coloured. */
export function InstallationForm({ settings, fixed }: Props) {
  const texts = useTexts('admin').settings
  const save = useSaveSettings()
  const touched = useTouched(save)
  const [name, setName] = useState(settings.name)
  const [accentColor, setAccentColor] = useState(settings.accentColor ?? '')
  const isNameFixed = fixed.includes('name')
  const ratio = contrastOf(accentColor, '#ffffff')
  const isColour = accentColor === '' || ratio !== undefined
  const isReadable = accentColor === '' || (ratio ?? 0) >= ENOUGH_CONTRAST
  const colourProblem = isColour ? (isReadable ? undefined : texts.tooLight) : texts.noColour

  return (
    <Section title={texts.installation} description={texts.installationText}>
      <form
        noValidate
        {...touched}
        onSubmit={(event) => {
          event.preventDefault()
          if (save.isPending || colourProblem) return
          save.mutate({
            ...(isNameFixed || name.trim() === settings.name ? {} : { name: name.trim() }),
            ...(accentColor === (settings.accentColor ?? '') ? {} : { accentColor: accentColor || null }),
          })
        }}
      >
        <Stack>
          <TextInput
            label={texts.name}
            description={isNameFixed ? texts.fixed('RP_NAME') : texts.nameHint}
            maxLength={64}
            readOnly={isNameFixed}
            disabled={isNameFixed}
            error={issueAt(save.error, 'name')}
            value={name}
            onChange={(event) => {
              save.reset()
              setName(event.currentTarget.value)
            }}
          />
          <ColorInput
            label={texts.accentColor}
            description={texts.accentColorHint}
            size="md"
            format="hex"
            withEyeDropper={false}
            placeholder="#15675c"
            swatches={['#15675c', '#1d4e89', '#5b3a8c', '#8c2f4b', '#7c5716', '#343e3e']}
            closeOnColorSwatchClick
            error={issueAt(save.error, 'accentColor') ?? colourProblem}
            value={accentColor}
            onChange={(colour) => {
              save.reset()
              setAccentColor(colour)
            }}
          />
          {ratio !== undefined && (
            <Group gap="sm">
              <Paper px="md" py={6} style={{ background: accentColor, color: '#ffffff' }}>
                <Text size="sm" fw={550} c="#ffffff" aria-hidden>
                  {texts.sample}
                </Text>
              </Paper>
              <Text size="sm" role="status">
                {texts.contrast(ratio.toFixed(1), ENOUGH_CONTRAST)}
              </Text>
            </Group>
          )}
          <FailureAlert failure={beyondFields(save.error, ['name', 'accentColor'])} />
          <SaveButton save={save} disabled={colourProblem !== undefined} />
        </Stack>
      </form>
    </Section>
  )
}
