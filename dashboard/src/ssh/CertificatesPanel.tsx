import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { IssuedCertificate } from '../api/shapes.ts'
import { useTexts } from '../texts/TextsProvider.tsx'
import { EmptyState } from '../ui/EmptyState.tsx'
import { QueryView } from '../ui/QueryView.tsx'
import { Section } from '../ui/Section.tsx'
import { IssuedCertificateCard } from './IssuedCertificateCard.tsx'
import { IssueForm } from './IssueForm.tsx'
import { OwnCertificates } from './OwnCertificates.tsx'
import { keysQuery, ownCertificatesQuery } from './ssh-queries.ts'

export function CertificatesPanel() {
  const texts = useTexts('ssh').issue
  const client = useQueryClient()
  const keys = useQuery(keysQuery)
  const [issued, setIssued] = useState<IssuedCertificate>()
  function show(made: IssuedCertificate) {
    setIssued(made)
    void client.invalidateQueries({ queryKey: ownCertificatesQuery.queryKey })
  }
  return (
    <>
      <Section title={texts.title}>
        <QueryView
          query={keys}
          isEmpty={(found) => found.keys.length === 0}
          empty={<EmptyState icon="key" title={texts.noKeys} />}
        >
          {(found) => <IssueForm keys={found.keys} onIssued={show} />}
        </QueryView>
      </Section>
      {issued && <IssuedCertificateCard issued={issued} />}
      <OwnCertificates />
    </>
  )
}
