import {
  type Authority,
  type CertificateRequest,
  prepareCertificate,
  signDraft,
} from '../../../src/platform/openssh/certificate.ts'

/** Builds and signs a certificate in one step. */
export const signCertificate = (authority: Authority, request: CertificateRequest): Buffer =>
  signDraft(authority, prepareCertificate(authority, request))
