/* The certificates of authorities that are trusted: those in one file, in PEM
 * form. libcurl keeps what it parsed of a file from connection to connection,
 * but only where it need not look into a directory as well. */
#ifndef PAGE_TRUST_H
#define PAGE_TRUST_H

/* The system's file, as libcurl was built; NULL if it was built without one. */
const char *trust_system_file(void);

/* Why there is no certificate to be had from this file; NULL if there is one.
 * libcurl reports this only at the first connection, and less clearly. */
const char *trust_problem(const char *file);

#endif
