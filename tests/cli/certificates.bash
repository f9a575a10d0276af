# Certificates of our own making, for tests of https.
#
#     load certificates
#
#     setup_file() {
#         cd "$BATS_FILE_TMPDIR"
#         new_authority ca
#         sign good "DNS:example.org"
#     }

# new_key NAME: a private key, NAME.key.
new_key() {
    openssl ecparam -name prime256v1 -genkey -noout -out "$1.key"
}

# new_authority NAME: an authority, NAME.pem.
new_authority() {
    new_key "$1"
    openssl req -x509 -new -key "$1.key" -subj "/CN=authority $1" -days 3 \
        -out "$1.pem"
}

# sign NAME SAN [END [START]]: a certificate by the authority "ca", NAME.pem,
# from START to END ("20200201000000Z"; without them, for long).
sign() {
    new_key "$1"
    openssl req -new -key "$1.key" -subj "/CN=$1" -out "$1.csr"
    : >issued
    cat >issue.cnf <<SETTINGS
[ca]
default_ca = own
[own]
database = issued
new_certs_dir = .
serial = serial
default_md = sha256
policy = any_name
x509_extensions = names
[any_name]
commonName = supplied
[names]
subjectAltName = $2
SETTINGS
    # "openssl x509" makes no expired certificate in all of its versions.
    openssl ca -batch -notext -config issue.cnf -in "$1.csr" -cert ca.pem \
        -keyfile ca.key -create_serial -startdate "${4:-20200101000000Z}" \
        -enddate "${3:-20991231235959Z}" -out "$1.pem" 2>sign.err ||
        fail "openssl: $(cat sign.err)"
}

# many_authorities COUNT: so many certificates of authorities, on standard
# output; all have one key.
many_authorities() {
    local i

    new_key many
    for ((i = 1; i <= $1; i++)); do
        openssl req -x509 -new -key many.key -subj "/CN=one of many $i" -days 3
    done
}
