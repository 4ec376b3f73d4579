import { Checkbox, SimpleGrid, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { Client } from '../../api/shapes.ts'
import { issueAt } from '../../lib/field-issue.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { ClientForm } from '../clients/ClientForm.tsx'
import { useSaveClient } from '../clients/use-save-client.ts'
import { useTextFields } from '../clients/use-text-fields.ts'
import { HEADER_FIELDS, headersDraft, headersOf } from './site-headers.ts'

type Props = { site: Client; mayWrite: boolean }

/** The name and the hosts of a site, and what it is told. */
export function SiteForm({ site, mayWrite }: Props) {
  const texts = useTexts('sites')
  const save = useSaveClient(site.client_id)
  const { fields, field } = useTextFields(
    {
      name: site.name,
      hosts: (site.hosts ?? []).join('\n'),
      launchUrl: site.launchUrl ?? '',
    },
    save,
    mayWrite,
  )
  const [basic, setBasic] = useState(site.basic ?? false)
  const [headers, setHeaders] = useState(() => headersDraft(site.headers ?? {}))
  return (
    <ClientForm
      title={texts.settings}
      save={save}
      fields={['name', 'hosts', 'launchUrl', 'headers']}
      mayWrite={mayWrite}
      onSubmit={() =>
        save.mutate({
          name: fields.name.trim(),
          hosts: fields.hosts.split(/\s+/).filter(Boolean),
          launchUrl: fields.launchUrl.trim() || null,
          basic,
          headers: headersOf(headers),
        })
      }
    >
      <TextInput label={texts.name} description={texts.nameHint} maxLength={100} {...field('name')} />
      <Textarea size="md" label={texts.hosts} description={texts.hostsHint} autosize minRows={1} {...field('hosts')} />
      <TextInput
        label={texts.launchUrl}
        description={texts.launchUrlHint}
        placeholder="https://wiki.example.com/"
        {...field('launchUrl')}
      />
      <Checkbox
        label={texts.basic}
        description={texts.basicHint}
        disabled={!mayWrite}
        checked={basic}
        onChange={(event) => {
          save.reset()
          setBasic(event.currentTarget.checked)
        }}
      />
      <Stack gap="xs" component="fieldset" bd={0} p={0} m={0}>
        <Text component="legend" fw={600} p={0}>
          {texts.headers}
        </Text>
        <Text size="sm" c="dimmed">
          {texts.headersHint}
        </Text>
        <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
          {HEADER_FIELDS.map((name) => (
            <TextInput
              key={name}
              label={texts.headerLabels[name]}
              readOnly={!mayWrite}
              value={headers[name]}
              error={issueAt(save.error, `headers/${name}`)}
              onChange={(event) => {
                const { value } = event.currentTarget
                save.reset()
                setHeaders((before) => ({ ...before, [name]: value }))
              }}
            />
          ))}
        </SimpleGrid>
      </Stack>
    </ClientForm>
  )
}
