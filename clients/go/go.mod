module firn.io/client

go 1.19
