# Signs a program with the certificate of CSC_LINK (a PFX in base64), with a confirmed time, so that the signature outlives the certificate.
param([Parameter(Mandatory)][string]$Path)
$ErrorActionPreference = 'Stop'
$certificate = [Security.Cryptography.X509Certificates.X509Certificate2]::new([Convert]::FromBase64String($env:CSC_LINK), $env:CSC_KEY_PASSWORD)
$signed = Set-AuthenticodeSignature -FilePath $Path -Certificate $certificate -HashAlgorithm SHA256 -TimestampServer 'http://timestamp.digicert.com'
if ($signed.Status -ne 'Valid') {
  Write-Output "$Path was not signed: $($signed.StatusMessage)"
  exit 1
}
